import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DashboardWorld, openDashboard, stopAtFirstFailure } from '../support/dashboard.js'
import { type ExistingAgent, ownPrivateAddress, startExistingAgent } from '../support/existing-agent.js'
import { until } from '../support/processes.js'

// An agent of another service is linked in a real browser in each of its ways, and its printer's page opens by itself once it is
// online. Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

/** Where the server, the browser and the agents are: in one private network, if this machine is in one. */
const home = ownPrivateAddress()
const address = home ?? '127.0.0.1'

let world: DashboardWorld
let page: Page
const agents: ExistingAgent[] = []

beforeAll(async () => {
  world = await openDashboard({ env: { PRINTWARDEN_HOST: address } })
  page = world.page
}, 240_000)

afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()))
  await world?.close()
})

stopAtFirstFailure(() => world, 'existing-agent')

async function startAgent(hostname: string, hasPasscode: boolean): Promise<ExistingAgent> {
  const agent = await startExistingAgent(world.server.url, { address, hostname, hasPasscode })
  agents.push(agent)
  return agent
}

const openPanel = () => page.getByText('An OctoPrint or Klipper agent you already have').click()

const open = async (): Promise<void> => {
  await page.goto(`${world.server.url}/printers/new`)
  await openPanel()
}

/** The digits that the page shows. */
async function shownCode(): Promise<string> {
  const shown = page.locator('output.link-code')
  await shown.waitFor()
  return (await shown.innerText()).replaceAll(/\D/g, '')
}

/** The page goes on by itself: linked, then the printer's own page. */
async function expectOpened(agent: ExistingAgent): Promise<void> {
  await page.getByText('Linked to New printer').waitFor()
  await agent.goOnline()
  await page.waitForURL(/\/printers\/\d+$/)
  await page.getByRole('heading', { name: 'New printer' }).waitFor()
  expect(world.complaints).toEqual([])
}

test('by the six digits that the page shows', async () => {
  await world.signIn('/printers/new')
  // Nothing is made before it is asked for.
  expect(await page.locator('output.link-code').count()).toBe(0)
  await openPanel()
  const code = await shownCode()
  expect(code).toMatch(/^\d{6}$/)
  await page.getByText(/good for (2 h 00|1 h 59) min/).waitFor()
  await page.locator('details').getByText(world.server.url, { exact: true }).waitFor()
  await world.lookAt('existing-code')
  const agent = await startAgent('octopi', false)
  await agent.verify(code)
  await page.getByText('Linked to New printer').waitFor()
  await world.lookAt('existing-waiting')
  await expectOpened(agent)
}, 120_000)

test('by the passcode that it shows', async () => {
  const agent = await startAgent('voron', true)
  await agent.poll()
  await open()
  await shownCode()
  const field = page.getByLabel('Five letters and digits that the agent shows')
  await field.fill('zzzzz')
  await page.getByRole('button', { name: 'Link this agent' }).click()
  await page.getByText('No agent shows this code').waitFor()
  await world.lookAt('existing-wrong-passcode')
  // The browser's own report of the 404.
  world.complaints.length = 0
  await field.fill(` ${agent.passcode.toUpperCase()} `)
  await page.getByRole('button', { name: 'Link this agent' }).click()
  await page.getByText('The agent gets its code within seconds').waitFor()
  expect(await agent.poll()).toBe(true)
  await expectOpened(agent)
}, 120_000)

test('by the link with its passcode, which waits for a click', async () => {
  const agent = await startAgent('ender', true)
  await agent.poll()
  await page.goto(`${world.server.url}/printers/new?one_time_passcode=${agent.passcode}`)
  await page.getByText('Link the agent only if it is yours').waitFor()
  await shownCode()
  // So that a key is enough.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Link this agent')
  await world.lookAt('existing-passcode-link')
  expect(await agent.poll()).toBe(false)
  await page.getByRole('button', { name: 'Link this agent' }).click()
  await page.getByText('The agent gets its code within seconds').waitFor()
  expect(await agent.poll()).toBe(true)
  await expectOpened(agent)
}, 120_000)

// Where this machine has no private address, nothing may be found.
test.skipIf(home === undefined)(
  'by one button, in the same private network',
  async () => {
    const agent = await startAgent('octopi-garage', false)
    const gone = await startAgent('octopi-gone', false)
    await Promise.all([agent.poll(), gone.poll()])
    await open()
    const row = (hostname: string) => page.getByRole('listitem').filter({ hasText: `${hostname}, ${address}` })
    await row('octopi-garage').waitFor()
    await world.lookAt('existing-found')
    await gone.close()
    await Promise.all([agent.poll(), gone.poll()])
    await row('octopi-gone').getByRole('button', { name: 'Link it' }).click()
    await page.getByText('The server cannot reach this agent').waitFor()
    await world.shoot('existing-unreachable')
    // The browser's own report of the 409.
    world.complaints.length = 0
    await agent.poll()
    await row('octopi-garage').getByRole('button', { name: 'Link it' }).click()
    await until('the code to come', () => agent.poll())
    await expectOpened(agent)
  },
  120_000,
)

test('a printer that is there already gets such an agent, and keeps its page', async () => {
  const id = /\/printers\/(\d+)$/.exec(page.url())?.[1]
  await page.goto(`${world.server.url}/printers/new?printer_id=${id}`)
  await openPanel()
  await page.locator('details').getByText('Its history stays').waitFor()
  const agent = await startAgent('octopi-new', false)
  await agent.verify(await shownCode())
  await expectOpened(agent)
  expect(page.url()).toMatch(new RegExp(`/printers/${id}$`))
}, 120_000)
