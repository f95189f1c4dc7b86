import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServerProgram } from '../support/processes.js'
import { ADMIN, runServerCommand, startServer, temporaryFolder } from '../support/processes.js'

// The window that a slicer opens to sign in, in a real browser: the slicer's own part of it is `window.wx`, to which the page that
// the sign-in ends at hands the token. Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

const CHROMIUM = process.env['PRINTWARDEN_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const SHOTS = process.env['PRINTWARDEN_TEST_SHOTS']
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

/** As slicers open it: no slash at the end, and no word of where to go afterwards. */
const SIGN_IN = '/o/authorize?response_type=token&client_id=OrcaSlicer&hide_navbar=true'

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let browser: Browser

beforeAll(async () => {
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await server?.stop()
  await folder?.remove()
})

/** A slicer's window, with what it was handed and what the browser complained of. */
async function openWindow(hasSlicer = true) {
  const context = await browser.newContext({ viewport: { width: 700, height: 560 }, locale: 'en-GB' })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const handed: unknown[] = []
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.exposeFunction('handToSlicer', (text: string) => handed.push(JSON.parse(text)))
  if (hasSlicer) {
    await page.addInitScript(() => {
      const shared = window as unknown as { wx: unknown; handToSlicer: (text: string) => void }
      shared.wx = { postMessage: (text: string) => shared.handToSlicer(text) }
    })
  }
  return { context, page, handed, complaints }
}

async function signIn(page: Page): Promise<void> {
  await page.goto(`${server.url}${SIGN_IN}`)
  await page.fill('input[name="email"]', ADMIN.email)
  await page.fill('input[name="password"]', ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return
  await mkdir(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `slicer-${name}.png`), fullPage: true })
}

const end = (context: BrowserContext): Promise<void> => context.close()

test('until an administrator allows it, no slicer signs anybody in', async () => {
  const { context, page, handed } = await openWindow()
  const answer = await page.goto(`${server.url}${SIGN_IN}`)
  expect(answer?.status()).toBe(400)
  expect(await page.innerText('body')).toContain('invalid_client')
  await runServerCommand(server.url, ['client', 'allow-slicer', 'OrcaSlicer'])
  expect(handed).toEqual([])
  await end(context)
})

test('the slicer is handed a token that works, and the address keeps none', async () => {
  const { context, page, handed, complaints } = await openWindow()
  await signIn(page)
  await shoot(page, 'consent')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await expect.poll(() => handed, { timeout: 20_000 }).toHaveLength(1)
  expect(handed).toEqual([{ command: 'login_token', data: { token: expect.stringMatching(/^[\w-]{30,}$/) } }])
  await shoot(page, 'signed-in')
  expect(page.url()).toBe(`${server.url}/o/slicer/`)
  // The policy of our pages allowed what the page needs.
  expect(complaints).toEqual([])

  const { token } = (handed[0] as { data: { token: string } }).data
  const ask = (path: string) => fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  expect((await ask('/api/v1/version/')).status).toBe(200)
  expect(await (await ask('/api/v1/printers/')).json()).toEqual([])
  await end(context)
})

test('who says no hands nothing over', async () => {
  const { context, page, handed } = await openWindow()
  await signIn(page)
  await page.getByRole('button', { name: 'Deny', exact: true }).click()
  await page.getByText('You said no; the slicer was not signed in.').waitFor()
  expect(handed).toEqual([])
  await end(context)
})

test('in an ordinary browser the page says where it belongs', async () => {
  const { context, page, handed } = await openWindow(false)
  await signIn(page)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByText('This page belongs into the window of your slicer.').waitFor()
  await shoot(page, 'no-slicer')
  expect(page.url()).toBe(`${server.url}/o/slicer/`)
  expect(handed).toEqual([])
  await end(context)
})
