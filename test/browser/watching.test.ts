import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { ADMIN, startAgent, startServer, temporaryFolder } from '../support/processes.js'

// Proof of watching in a real browser: a real server, and a real agent with three cameras, of which one sends dark pictures.
// Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

const CHROMIUM = process.env['PRINTWARDEN_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const SHOTS = process.env['PRINTWARDEN_TEST_SHOTS']
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']
const LONG = { timeout: 120_000 }

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let agent: Program | undefined
let browser: Browser
let page: Page

beforeAll(async () => {
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  page = await context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(`${server.url}/login/`)
  await page.fill('input[name="email"]', ADMIN.email)
  await page.fill('input[name="password"]', ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Add your first printer' }).waitFor()
  await startPrinter(await addPrinter())
  await page.goto(`${server.url}/printers/1`)
}, 240_000)

afterAll(async () => {
  await browser?.close()
  await agent?.stop()
  await server?.stop()
  await folder?.remove()
})

async function addPrinter(): Promise<string> {
  return page.evaluate(async () => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'Workshop printer' })
    const response = await fetch('/api/v1/printers/', { method: 'POST', headers, body })
    const printer: { auth_token: string } = await response.json()
    return printer.auth_token
  })
}

async function startPrinter(token: string): Promise<void> {
  const dark = join(folder.path, 'dark')
  await mkdir(dark)
  for (const shade of [3, 4, 5]) {
    const background = { r: shade, g: shade, b: shade }
    await sharp({ create: { width: 320, height: 240, channels: 3, background } })
      .jpeg()
      .toFile(join(dark, `${shade}.jpg`))
  }
  const file = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    file,
    `[server]
url: ${server.url}

[printer workshop]
auth_token: ${token}
host: virtual
duration: 900
heating: 2

[camera workshop bed]
pictures: generated
interval: 2

[camera workshop nozzle]
pictures: generated
interval: 5

[camera workshop enclosure]
pictures: ${dark}
interval: 5
`,
  )
  agent = startAgent(file)
}

async function lookAt(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      const overflow = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      await expect.poll(overflow, { message: `${name} at ${width} pixels is too wide by` }).toBe(0)
      if (SHOTS === undefined) continue
      await mkdir(SHOTS, { recursive: true })
      await page.screenshot({ path: join(SHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true })
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
}

const camera = (name: string) => page.getByRole('listitem').filter({ hasText: name })

test('a print is shown as watched once its pictures are checked, with the last look', async () => {
  await page.getByText('Watching this print').waitFor(LONG)
  await page.getByText(/Last look (just now|\d+ s ago)/).waitFor(LONG)
}, 180_000)

test('a self-test goes the way of the pictures, and says what came of it', async () => {
  await page.getByRole('button', { name: 'Run a self-test' }).click()
  await page.getByText(/The self-test passed: the failure was found in \d+ ms/).waitFor(LONG)
  await page
    .getByText(/self-test passed/)
    .first()
    .waitFor()
}, 150_000)

test('each camera has its picture, and watches once it is told to', async () => {
  await camera('nozzle').getByRole('img').waitFor(LONG)
  await camera('nozzle').getByText('Not looked at for failures').waitFor()
  await camera('nozzle').getByRole('switch').check()
  await camera('nozzle')
    .getByText(/Watching · \d+ look/)
    .waitFor(LONG)
}, 180_000)

test('a camera that sends dark pictures is said to see nothing, while the print is watched by the others', async () => {
  await camera('enclosure').getByRole('switch').check()
  await camera('enclosure').getByText('The camera cannot see: its picture is dark.').waitFor(LONG)
  await page.getByText('Watching this print').waitFor(LONG)
  await lookAt('watching')
}, 240_000)

test('what the detection may do is kept, and goes to the printer', async () => {
  await page.getByLabel(/cancel it when nobody answers/).check()
  await page.getByLabel('Pull the filament back').fill('4')
  await page.getByLabel('Lift the nozzle').fill('2.5')
  await page.getByLabel('Lift the nozzle').blur()
  const kept = () =>
    page.evaluate(async () => {
      const printer: Record<string, unknown> = await (await fetch('/api/v1/printers/1/')).json()
      return [printer['action_on_failure'], printer['retract_on_pause'], printer['lift_z_on_pause']]
    })
  await expect.poll(kept).toEqual(['CANCEL', 4, 2.5])
}, 90_000)

test('when its agent is gone, nobody watches, and the page says what to do', async () => {
  await agent?.stop()
  await page.getByText('The printer is offline.').first().waitFor(LONG)
  await page.getByText('Check that the printer’s agent is running').waitFor()
  await page.getByText('Nobody is watching this print').waitFor({ timeout: 150_000 })
  await lookAt('nobody')
}, 240_000)
