import { createClient, type Client } from '@printwarden/sdk'
import { type Browser, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { join } from 'node:path'
import { ADMIN, runServerCommand, type ServerProgram } from '../support/processes.js'
import { startServer, temporaryFolder, until } from '../support/processes.js'
import { connectWirePrinter, type WirePrinter } from '../support/wire-printer.js'

// What the pages of prints and cameras say while a print stands still, when its time-lapse could not be made, and when all cameras of a
// printer are set at once. Needs the built dashboard. Nothing on this server makes videos.

const CHROMIUM = process.env['PRINTWARDEN_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let browser: Browser
let page: Page
let client: Client
let wire: WirePrinter
let printer: { id: number; token: string }

beforeAll(async () => {
  folder = await temporaryFolder()
  const env = { PRINTWARDEN_VIDEO_ENCODER: 'off' }
  server = await startServer({ dataDir: join(folder.path, 'data'), env })
  const issue = ['token', 'issue', '--user', ADMIN.email, '--scope', 'read write', '--json']
  const issued = JSON.parse(await runServerCommand(server.url, issue)) as { access_token: string }
  client = createClient({ baseUrl: server.url, token: issued.access_token })
  const { id, auth_token } = await client.createPrinter({ name: 'Workshop' })
  printer = { id, token: auth_token ?? '' }
  await client.updatePrinter({ id, min_timelapse_secs_on_finish: 0 })
  wire = await connectWirePrinter(server.url, printer.token, 'obey')
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
  page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(`${server.url}/login/`)
  await page.fill('input[name=email]', ADMIN.email)
  await page.fill('input[name=password]', ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/login'))
}, 300_000)

afterAll(async () => {
  await browser?.close()
  wire?.close()
  await server?.stop()
  await folder?.remove()
})

async function sendPicture(camera: string, isPrimary: boolean): Promise<void> {
  const create = { width: 320, height: 240, channels: 3, background: '#468' } as const
  const form = new FormData()
  const bytes = Uint8Array.from(await sharp({ create }).jpeg().toBuffer())
  form.set('pic', new Blob([bytes], { type: 'image/jpeg' }), 'pic.jpg')
  form.set('is_primary_camera', String(isPrimary))
  form.set('camera_name', camera)
  const headers = { authorization: `Bearer ${printer.token}` }
  const sent = await fetch(`${server.url}/api/v1/agent/pic/`, { method: 'POST', headers, body: form })
  expect(sent.status).toBe(200)
}

test('a print that stands still is paused in the list and on its page, live', async () => {
  await wire.startPrint('cube.gcode')
  const { id } = printer
  const print = await until('the print', async () => (await client.getPrinter({ id })).current_print ?? undefined)
  await sendPicture('bed', true)
  await page.goto(`${server.url}/prints`)
  const row = page.getByRole('row', { name: /cube\.gcode/ })
  await row.getByText('Running', { exact: true }).waitFor()
  await client.pausePrint({ id })
  await row.getByText('Paused', { exact: true }).waitFor()
  await page.goto(`${server.url}/prints/${print.id}`)
  const head = page.locator('.page-head')
  await head.getByText('Paused', { exact: true }).waitFor()
  await client.resumePrint({ id })
  await head.getByText('Running', { exact: true }).waitFor()
}, 180_000)

test('a time-lapse that nothing could make can be asked for again', async () => {
  await wire.endPrint('finished')
  await page.getByText(/makes videos|make videos/).waitFor()
  const [print] = await client.listPrints()
  expect(print?.timelapse).toMatchObject({ state: 'none', reason_code: 'no_encoder' })
  const asked = page.waitForResponse((response) => response.url().endsWith('/timelapse/retry/'))
  await page.getByRole('button', { name: 'Try again' }).click()
  expect((await asked).status()).toBe(200)
  // There is still nothing that could.
  await page.getByRole('button', { name: 'Try again' }).waitFor()
}, 180_000)

test('the switches of one camera are used for all', async () => {
  await sendPicture('side', false)
  const { id } = printer
  await page.goto(`${server.url}/printers/${id}/detection`)
  const votes = page.getByLabel('Places must agree')
  await votes.waitFor()
  const wasOn = await votes.isChecked()
  await page.getByText('Places must agree').click()
  await expect.poll(() => votes.isChecked()).toBe(!wasOn)
  await page.getByRole('button', { name: 'Use these switches for the whole printer' }).click()
  await expect
    .poll(async () => (await client.listCameras({ id })).map(({ settings }) => settings.votes_enabled))
    .toEqual([!wasOn, !wasOn])
}, 180_000)
