import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@printwarden/sdk'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { ADMIN, freePort, ROOT, startProgram, startServer, temporaryFolder } from '../support/processes.js'

// From nothing to a working token in a real browser: a developer registers examples/sign-in-app, which lives on another origin, and a
// user signs in there, looks at printers, and leaves. Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

const CHROMIUM = process.env['PRINTWARDEN_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const SHOTS = process.env['PRINTWARDEN_TEST_SHOTS']
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']
const VITE = join(ROOT, 'node_modules/vite/bin/vite.js')

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let host: Program
let browser: Browser
let context: BrowserContext
/** The app's page. */
let page: Page
let appUrl: string
let clientId: string
let admin: ReturnType<typeof createClient>
/** What the app's pages posted to the token endpoint. */
const exchanges: Record<string, string>[] = []

beforeAll(async () => {
  folder = await temporaryFolder()
  const port = await freePort()
  const dist = ['--outDir', join(folder.path, 'app')]
  const build = startProgram(process.execPath, [VITE, 'build', join(ROOT, 'examples/sign-in-app'), ...dist])
  if ((await build.ended) !== 0) throw new Error(build.output())
  const serve = ['preview', join(ROOT, 'examples/sign-in-app'), ...dist, '--port', String(port), '--strictPort']
  host = startProgram(process.execPath, [VITE, ...serve])
  // Coloured or not, as the machine has it.
  await host.waitFor(/http:\/\/127/)
  appUrl = `http://127.0.0.1:${port}/`
  server = await startServer({ dataDir: join(folder.path, 'data') })
  const { access_token } = await createClient({ baseUrl: server.url }).adminSignIn(ADMIN)
  admin = createClient({ baseUrl: server.url, token: access_token })
  await admin.createPrinter({ name: 'MK4' })
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
  context = await browser.newContext({ viewport: { width: 900, height: 400 }, locale: 'en-GB', colorScheme: 'light' })
  context.setDefaultTimeout(20_000)
  context.on('request', (request) => keepExchange(request))
  page = await context.newPage()
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await host?.stop()
  await server?.stop()
  await folder?.remove()
})

// Each test goes on where the one before it ended, so nothing can be said after a failure.
let isBroken = false
beforeEach((current) => {
  if (isBroken) current.skip()
  exchanges.length = 0
  current.onTestFailed(async () => {
    isBroken = true
    await shoot(page, 'failed')
    console.error(`${page.url()}\n${await page.innerText('body')}\nthe server said:\n${server.output()}`)
  })
})

function keepExchange(request: Request): void {
  if (!request.url().endsWith('/o/token/') || request.method() !== 'POST') return
  exchanges.push(Object.fromEntries(new URLSearchParams(request.postData() ?? '')))
}

async function shoot(shot: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return
  await mkdir(SHOTS, { recursive: true })
  await shot.screenshot({ path: join(SHOTS, `oauth-${name}.png`), fullPage: true })
}

/** What the app's page has stored about its tokens. */
const stored = (shown: Page): Promise<Record<string, unknown>> =>
  shown.evaluate(() => {
    const key = Object.keys(localStorage).find((name) => name.endsWith('tokens'))
    const value: unknown = JSON.parse(localStorage.getItem(key ?? '') ?? '{}')
    return value as Record<string, unknown>
  })

const changeStored = (shown: Page, changes: Record<string, unknown>): Promise<void> =>
  shown.evaluate((more) => {
    const key = Object.keys(localStorage).find((name) => name.endsWith('tokens')) ?? ''
    const value = JSON.parse(localStorage.getItem(key) ?? '{}') as object
    localStorage.setItem(key, JSON.stringify({ ...value, ...more }))
  }, changes)

const statusOf = async (token: unknown): Promise<number> =>
  (await fetch(`${server.url}/api/v1/users/me/`, { headers: { authorization: `Bearer ${String(token)}` } })).status

async function beginSignIn(): Promise<void> {
  await page.getByLabel('Server').fill(server.url)
  await page.getByLabel('Client ID').fill(clientId)
  await page.getByRole('button', { name: 'Sign in with Printwarden' }).click()
}

const printerNames = (shown: Page): Promise<string[]> => shown.locator('#printers strong').allInnerTexts()

async function expectLive(shown: Page): Promise<void> {
  await expect.poll(() => shown.locator('#live').innerText()).toBe('live')
}

test('a developer registers the app', async () => {
  const developer = await context.newPage()
  await developer.goto(`${server.url}/developer/apps/`)
  await developer.fill('input[name="email"]', ADMIN.email)
  await developer.fill('input[name="password"]', ADMIN.password)
  await developer.getByRole('button', { name: 'Sign in' }).click()
  await developer.getByRole('link', { name: 'Register an app' }).click()
  await developer.getByLabel('Name').fill('Shop floor')
  await developer.getByLabel('Description').fill('Shows what your printers are doing.')
  await developer.getByLabel('Redirect URIs').fill('http://127.0.0.1/')
  await developer.getByRole('radio', { name: /Public/ }).check()
  await shoot(developer, 'register')
  await developer.getByRole('button', { name: 'Register', exact: true }).click()
  await developer.getByText('The app was registered.').waitFor()
  clientId = await developer.locator('dl code').first().innerText()
  await shoot(developer, 'registered')
  await developer.close()
  // The user is another visitor of the server.
  await context.clearCookies()
})

test('a user signs in, is asked, and comes back to a list of printers', async () => {
  await page.goto(appUrl)
  await beginSignIn()
  await page.fill('input[name="email"]', ADMIN.email)
  await page.fill('input[name="password"]', ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Shop floor').first().waitFor()
  await shoot(page, 'consent')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByText(ADMIN.email).waitFor()
  expect(page.url()).toBe(appUrl)
  await expect.poll(() => printerNames(page)).toEqual(['MK4'])
  expect(exchanges).toEqual([
    {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: appUrl,
      code: expect.any(String),
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    },
  ])
})

test('what changes is seen at once, over the websocket', async () => {
  await expectLive(page)
  const { id } = await admin.createPrinter({ name: 'Mini' })
  await expect.poll(() => printerNames(page)).toEqual(['MK4', 'Mini'])
  await shoot(page, 'signed-in')
  await admin.updatePrinter({ id, name: '<b>Mini</b>' })
  await expect.poll(() => printerNames(page)).toEqual(['MK4', '<b>Mini</b>'])
})

test('two tabs whose token ends renew it once', async () => {
  const before = await stored(page)
  const other = await context.newPage()
  await other.goto(appUrl)
  await expectLive(other)
  await changeStored(page, { expires_at: 0 })
  await Promise.all([page.reload(), other.reload()])
  await Promise.all([expectLive(page), expectLive(other)])
  expect(await printerNames(other)).toHaveLength(2)
  expect(exchanges).toEqual([
    { grant_type: 'refresh_token', client_id: clientId, refresh_token: String(before['refresh_token']) },
  ])
  const after = await stored(page)
  expect(after['access_token']).not.toBe(before['access_token'])
  expect(await stored(other)).toEqual(after)
  await other.close()
})

test('a token that the server takes for expired is renewed by the call that meets it', async () => {
  const { tokens } = await admin.seed()
  await changeStored(page, { access_token: tokens.expired })
  await page.reload()
  await expectLive(page)
  expect(exchanges).toMatchObject([{ grant_type: 'refresh_token' }])
  expect((await stored(page))['access_token']).not.toBe(tokens.expired)
})

test("the app's origin gets what a token gives it, and nothing by the user's cookie", async () => {
  const { access_token } = await stored(page)
  const given = { url: server.url, token: String(access_token) }
  const seen = await page.evaluate(async ({ url, token }) => {
    const authorization = `Bearer ${token}`
    const outcome = (path: string, init: RequestInit): Promise<string> =>
      fetch(url + path, init).then(
        ({ status, headers }) => `${status} ${headers.get('x-total-count') ?? '-'}`,
        () => 'kept from the page',
      )
    return {
      withToken: await outcome('/api/v1/printers/', { headers: { authorization } }),
      withKey: await outcome('/api/v1/printers/', { headers: { 'x-api-key': token } }),
      withNothing: await outcome('/api/v1/printers/', {}),
      withCookie: await outcome('/api/v1/printers/', { credentials: 'include' }),
      changeWithCookie: await outcome('/api/v1/printers/', { method: 'POST', credentials: 'include' }),
      metadata: await outcome('/.well-known/oauth-authorization-server', {}),
      unknownGrant: await outcome('/o/token/', { method: 'POST', body: new URLSearchParams({ client_id: 'x' }) }),
      consentPage: await outcome('/o/authorize/', { credentials: 'include' }),
      developerPage: await outcome('/developer/apps/', { credentials: 'include' }),
      introspection: await outcome('/o/introspect/', { method: 'POST', body: new URLSearchParams({ token }) }),
    }
  }, given)
  expect(seen).toEqual({
    withToken: '200 2',
    withKey: '200 2',
    withNothing: '401 -',
    withCookie: 'kept from the page',
    changeWithCookie: 'kept from the page',
    metadata: '200 -',
    unknownGrant: '401 -',
    consentPage: 'kept from the page',
    developerPage: 'kept from the page',
    introspection: 'kept from the page',
  })
  expect(await admin.listPrinters()).toHaveLength(2)
})

test('when the user disconnects the app, its page notices by itself', async () => {
  const { access_token } = await stored(page)
  const account = await context.newPage()
  await account.goto(`${server.url}/account/apps/`)
  await shoot(account, 'connected')
  await account.getByRole('button', { name: 'Disconnect' }).first().click()
  await page.getByText('You are signed out.').waitFor()
  await page.getByRole('button', { name: 'Sign in with Printwarden' }).waitFor()
  expect(await statusOf(access_token)).toBe(401)
  expect(await stored(page)).toEqual({})
  await account.close()
  await page.reload()
  await page.getByRole('button', { name: 'Sign in with Printwarden' }).waitFor()
})

test('a user who says no is told so, and no token is asked for', async () => {
  await beginSignIn()
  await page.getByRole('button', { name: 'Deny', exact: true }).click()
  await page.getByText('You said no.').waitFor()
  expect(page.url()).toBe(appUrl)
  expect(exchanges).toEqual([])
})

test('an answer to a question that nobody asked is not sent on', async () => {
  await page.goto(`${appUrl}?code=stolen&state=forged&iss=${encodeURIComponent(server.url)}`)
  await page.getByText('belongs to no sign-in').waitFor()
  expect(exchanges).toEqual([])
})

test('signing out ends the token and what would renew it', async () => {
  await beginSignIn()
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await expectLive(page)
  const { access_token, refresh_token } = await stored(page)
  expect(await statusOf(access_token)).toBe(200)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You are signed out.').waitFor()
  expect(await stored(page)).toEqual({})
  expect(await statusOf(access_token)).toBe(401)
  const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: String(refresh_token) }
  const refused = await fetch(`${server.url}/o/token/`, { method: 'POST', body: new URLSearchParams(fields) })
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: 'invalid_grant' }])
})
