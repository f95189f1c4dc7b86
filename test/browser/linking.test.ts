import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DashboardWorld, openDashboard, stopAtFirstFailure } from '../support/dashboard.js'
import { startLink } from '../support/linking.js'
import { type Program, startAgent } from '../support/processes.js'

// Two minutes from nothing to "online", in a real browser: the agent shows a code, it is entered, the printer appears and goes
// online by itself; then the printer is moved to another agent. Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

const LONG = { timeout: 120_000 }

let world: DashboardWorld
let page: Page
let second: Program | undefined

beforeAll(async () => {
  world = await openDashboard()
  page = world.page
}, 240_000)

afterAll(async () => {
  await second?.stop()
  await world?.close()
})

stopAtFirstFailure(() => world, 'linking')

test('a newcomer is told the command, and a wrong code is explained', async () => {
  await world.signIn('/')
  await page.getByText(`npx printwarden-agent link --server ${world.server.url}`).waitFor()
  await page.getByRole('link', { name: 'Add a printer' }).click()
  await world.lookAt('link-form')
  const button = page.getByRole('button', { name: 'Link the agent' })
  expect(await button.isEnabled()).toBe(false)
  await page.getByLabel('The code that it shows').fill('000 000')
  await button.click()
  await page.getByText('No agent shows this code').waitFor()
  await world.lookAt('link-wrong')
  // The browser's own report of the 404.
  world.complaints.length = 0
}, 120_000)

test('the code links the agent, and the printer goes online by itself', async () => {
  const config = join(world.folder, 'first.cfg')
  const { program, code } = await startLink(world.server.url, config, ['--name', 'Workshop printer'])
  await page.getByLabel('The code that it shows').fill(`${code.slice(0, 3)} ${code.slice(3)}`)
  await page.getByRole('button', { name: 'Link the agent' }).click()
  await page.getByText('Linked to Workshop printer').waitFor()
  await world.lookAt('link-waiting')
  expect(await program.ended).toBe(0)
  world.agent = startAgent(config)
  await page.getByText('Workshop printer is online').waitFor(LONG)
  await world.lookAt('link-online')
  await page.getByRole('link', { name: 'Open Workshop printer' }).click()
  await page.getByRole('heading', { name: 'Workshop printer' }).waitFor()
}, 180_000)

test('the printer is moved to another agent by a QR code that waits for a click', async () => {
  await page.getByText('Printer and agent').click()
  await page.getByRole('link', { name: 'Move to another agent' }).click()
  await page.getByRole('heading', { name: 'Move Workshop printer to another agent' }).waitFor()
  await world.lookAt('move')
  const config = join(world.folder, 'second.cfg')
  const { program, code } = await startLink(world.server.url, config)
  const id = /printer_id=(\d+)/.exec(page.url())?.[1]
  await page.goto(`${world.server.url}/printers/new?code=${code}&printer_id=${id}`)
  await page.getByText('Link the agent only if it is yours').waitFor()
  await world.lookAt('move-by-qr-code')
  // Opening the address alone has linked nothing.
  expect(program.output()).not.toContain('Linked')
  await page.getByRole('button', { name: 'Link the agent' }).click()
  await page.getByText('Linked to Workshop printer').waitFor()
  expect(await program.ended).toBe(0)
  // The agent before is cut off, and says why.
  expect(await world.agent?.ended).toBe(3)
  second = startAgent(config)
  await page.getByText('Workshop printer is online').waitFor(LONG)
  await page.goto(`${world.server.url}/`)
  await page.getByRole('article').waitFor()
  expect(await page.getByRole('article').count()).toBe(1)
  expect(world.complaints).toEqual([])
}, 180_000)
