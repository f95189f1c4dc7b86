import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { ADMIN, ROOT, startAgent, startProgram, startServer, temporaryFolder } from '../support/processes.js'

// A newcomer's first ten minutes with the dashboard, in a real browser: sign in, add a printer, connect its agent, pause and
// resume, see the alert and answer it. Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

const CHROMIUM = process.env['PRINTWARDEN_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const SHOTS = process.env['PRINTWARDEN_TEST_SHOTS']
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']
const LONG = { timeout: 120_000 }

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let agent: Program | undefined
let browser: Browser
let context: BrowserContext
let page: Page
/** What the page complained about: a blocked script, a failed request, an exception. */
const complaints: string[] = []

beforeAll(async () => {
  await buildDashboard()
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
  context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', colorScheme: 'light' })
  page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await agent?.stop()
  await server?.stop()
  await folder?.remove()
})

// Each test goes on where the one before it ended, so nothing can be said after a failure.
let isBroken = false
beforeEach((current) => {
  if (isBroken) current.skip()
  current.onTestFailed(async () => {
    isBroken = true
    await shoot('failed')
    console.error(`the agent said:\n${agent?.output() ?? 'nothing'}\nthe server said:\n${server.output()}`)
  })
})

async function buildDashboard(): Promise<void> {
  if (existsSync(join(ROOT, 'packages/dashboard/dist/index.html'))) return
  const build = startProgram(process.execPath, [join(ROOT, 'scripts/build.mjs')])
  if ((await build.ended) !== 0) throw new Error(build.output())
}

async function shoot(name: string): Promise<void> {
  if (SHOTS === undefined) return
  await mkdir(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`) })
}

/** Looks at the same page on a telephone and in the dark; nowhere may it be wider than the window. */
async function lookAt(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height })
      await expect.poll(overflow, { message: `${name} at ${width} pixels is too wide by` }).toBe(0)
      await page.waitForTimeout(SHOTS === undefined ? 0 : 300)
      await shoot(`${name}-${width}-${colorScheme}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1440, height: 900 })
}

/** How far the page is wider than the window: 0, or a reader must scroll sideways. */
const overflow = (): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

test('without a session the sign-in form comes first, and leads back', async () => {
  await page.goto(`${server.url}/prints`)
  await page.waitForURL(/\/login\//)
  await shoot('sign-in')
  // The browser's own report of the 401 that led here.
  complaints.length = 0
  await page.fill('input[name="email"]', ADMIN.email)
  await page.fill('input[name="password"]', ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Prints', exact: true }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/prints')
})

test('a newcomer is told how to add a printer, and connects its agent', async () => {
  await page.getByRole('link', { name: 'Printers', exact: true }).click()
  await page.getByRole('heading', { name: 'Add your first printer' }).waitFor()
  await lookAt('empty')
  await page.getByRole('link', { name: 'Add a printer' }).click()
  await page.getByLabel('Name').fill('Workshop printer')
  await page.getByRole('button', { name: 'Add the printer' }).click()
  const config = await page.locator('pre').innerText()
  const token = /auth_token: ([0-9a-f]{40})/.exec(config)?.[1]
  expect(token).toBeDefined()
  await page.getByText('Waiting for the agent to connect').waitFor()
  await lookAt('connect')
  await startVirtualPrinter(token ?? '')
  await page.getByText('The agent is connected').waitFor(LONG)
}, 180_000)

async function startVirtualPrinter(token: string): Promise<void> {
  const file = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    file,
    `[server]
url: ${server.url}

[printer workshop]
auth_token: ${token}
host: virtual
duration: 180
heating: 2
fail_at: 0.25
seed: 5016

[camera workshop bed]
pictures: generated
interval: 1
`,
  )
  agent = startAgent(file)
}

test('the grid shows the picture, the state and what the detection thinks', async () => {
  await page.getByRole('link', { name: 'Printwarden, all printers' }).click()
  const card = page.getByRole('article')
  await card.getByText('Printing', { exact: true }).waitFor(LONG)
  await card.getByRole('img', { name: 'Camera of Workshop printer' }).waitFor(LONG)
  await card.getByText('Watching for failures').waitFor(LONG)
  await card.getByRole('meter', { name: 'Failure gauge' }).waitFor(LONG)
  await lookAt('grid')
}, 180_000)

test('a print is paused and resumed, and each step is seen', async () => {
  await page.getByRole('link', { name: 'Workshop printer' }).click()
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  const progress = page.locator('.command')
  await progress.getByText('Accepted by the agent').waitFor()
  await progress.getByText('Paused', { exact: true }).waitFor()
  await page.locator('.page-head').getByText('Paused', { exact: true }).waitFor()
  await shoot('paused')
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.locator('.page-head').getByText('Printing', { exact: true }).waitFor(LONG)
  await page.locator('.chart canvas').first().waitFor(LONG)
  expect(await page.title()).toBe('Workshop printer · Printwarden')
}, 180_000)

test('when the print fails the alert shows what was found, and the print is paused', async () => {
  await page.getByText('This print looks like a failure').waitFor(LONG)
  await page.getByText('Printwarden has paused the print.').waitFor(LONG)
  const picture = page.getByRole('img', { name: 'What the failure detection found' })
  await picture.waitFor()
  await expect
    .poll(() => picture.evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0)))
    .toBeGreaterThan(0)
  expect(await page.title()).toMatch(/^⚠ /)
  await lookAt('alert')
  await page.getByRole('link', { name: 'Printwarden, all printers' }).click()
  await page.getByText('A print looks like a failure').waitFor()
  await shoot('grid-alert')
  await page.getByRole('article').getByRole('link').click()
}, 200_000)

test('a lost server is said so, and what comes back is live again', async () => {
  await context.setOffline(true)
  // Going offline leaves open websockets alone, so the server ends them.
  const { port } = new URL(server.url)
  await server.stop()
  await page.getByText('Reconnecting').waitFor(LONG)
  await shoot('reconnecting')
  server = await startServer({ dataDir: join(folder.path, 'data'), port: Number(port) })
  await context.setOffline(false)
  await page.getByText('Reconnecting').waitFor({ state: 'detached', ...LONG })
  complaints.length = 0
}, 180_000)

test('the alert is answered, the print cancelled after a question, and listed', async () => {
  await page.getByRole('button', { name: 'It has failed' }).click()
  await page.getByText('This print looks like a failure').waitFor({ state: 'detached' })
  await page.getByText('Alert, confirmed').waitFor()
  const cancel = page.getByRole('button', { name: 'Cancel print' })
  await expect.poll(() => cancel.isEnabled(), LONG).toBe(true)
  await cancel.click()
  await shoot('cancel-question')
  await page.getByRole('button', { name: 'Cancel the print' }).click()
  await page.getByText('Nothing is being printed.').first().waitFor(LONG)
  await page.getByRole('link', { name: 'Prints', exact: true }).click()
  const row = page.getByRole('row').nth(1)
  await row.getByText('Cancelled', { exact: true }).waitFor()
  await row.getByText('Alert, confirmed').waitFor()
  await lookAt('prints')
  await row.getByRole('link').first().click()
  await page.getByRole('heading', { name: 'Failure gauge' }).waitFor()
  await page.locator('.chart canvas').waitFor()
  await lookAt('print')
}, 180_000)

test('settings are kept', async () => {
  await page.goto(`${server.url}/printers/1`)
  const only = page.getByLabel('Only alert me')
  await only.check()
  await page.reload()
  await expect.poll(() => page.getByLabel('Only alert me').isChecked()).toBe(true)
})

test('signing out ends the session', async () => {
  expect(complaints).toEqual([])
  await page.getByRole('button', { name: /^Sign out/ }).click()
  await page.waitForURL(/\/login\//)
  await page.goto(`${server.url}/`)
  await page.waitForURL(/\/login\//)
})
