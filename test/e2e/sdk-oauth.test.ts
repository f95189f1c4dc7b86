import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import { createOAuth, memoryStorage, type OAuth, type OAuthOptions } from '@printwarden/sdk/oauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageBrowser } from '../support/page-browser.js'
import type { Program, ServerProgram } from '../support/processes.js'
import { ADMIN, ROOT, startProgram, startServer, temporaryFolder } from '../support/processes.js'

// The SDK's sign-in against the real server: by a browser, on a server of the app's own, and on a device.

const CALLBACK = 'https://app.example/callback?tab=1'

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let admin: Client
let browser: ReturnType<typeof pageBrowser>

beforeAll(async () => {
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  const { access_token } = await createClient({ baseUrl: server.url }).adminSignIn(ADMIN)
  admin = createClient({ baseUrl: server.url, token: access_token })
  await admin.createPrinter({ name: 'MK4' })
  browser = pageBrowser(server.url)
  await browser.signIn(ADMIN.email, ADMIN.password)
}, 120_000)

afterAll(async () => {
  await server?.stop()
  await folder?.remove()
})

async function optionsOf(type: 'public' | 'confidential'): Promise<OAuthOptions> {
  const app = await admin.addClient({ name: `A ${type} app`, type, redirect_uris: [CALLBACK] })
  const secret = app.client_secret === null ? {} : { clientSecret: app.client_secret }
  return { baseUrl: server.url, clientId: app.client_id, redirectUri: CALLBACK, storage: memoryStorage(), ...secret }
}

async function signIn(oauth: OAuth, scope = 'read write'): Promise<string> {
  const back = await browser.answer(await oauth.authorizeUrl({ scope }), true)
  await oauth.handleCallback(back)
  return back
}

test.each(['public', 'confidential'] as const)('a %s app signs in, renews and signs out', async (type) => {
  const oauth = createOAuth(await optionsOf(type))
  const client = createClient({ baseUrl: server.url, token: oauth })
  await signIn(oauth)
  const first = await oauth.tokens()
  expect(first).toMatchObject({ scope: 'read write' })
  expect(await client.getMe()).toMatchObject({ email: ADMIN.email })

  await oauth.renew(first?.access_token ?? '')
  const second = await oauth.tokens()
  expect(second?.access_token).not.toBe(first?.access_token)
  expect(await client.listPrinters()).toMatchObject([{ name: 'MK4' }])

  await oauth.signOut()
  const late = createClient({ baseUrl: server.url, token: second?.access_token ?? '' })
  await expect(late.getMe()).rejects.toMatchObject({ status: 401, code: 'token_revoked' })
  await expect(client.getMe()).rejects.toMatchObject({ status: 401, code: 'sign_in_required' })
})

test('what the user grants is what the app gets', async () => {
  const oauth = createOAuth(await optionsOf('public'))
  await signIn(oauth, 'read')
  const client = createClient({ baseUrl: server.url, token: oauth })
  expect(await client.listPrinters()).toHaveLength(1)
  await expect(client.createPrinter({ name: 'x' })).rejects.toMatchObject({ code: 'insufficient_scope' })
})

test('a user who says no is an error with a code', async () => {
  const oauth = createOAuth(await optionsOf('public'))
  const back = await browser.answer(await oauth.authorizeUrl(), false)
  await expect(oauth.handleCallback(back)).rejects.toMatchObject({ name: 'OAuthError', code: 'access_denied' })
})

test('a code that is used again, by whoever took it, ends what it gave', async () => {
  const options = await optionsOf('public')
  const oauth = createOAuth(options)
  const code = new URL(await signIn(oauth)).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, client_id: options.clientId }
  const replay = await fetch(`${server.url}/o/token/`, { method: 'POST', body: new URLSearchParams(form) })
  expect(await replay.json()).toMatchObject({ error: 'invalid_grant' })
  const client = createClient({ baseUrl: server.url, token: oauth })
  await expect(client.getMe()).rejects.toMatchObject({ status: 401, code: 'sign_in_required' })
  expect(await oauth.tokens()).toBeUndefined()
})

test('a secret that is wrong is told as such', async () => {
  const oauth = createOAuth({ ...(await optionsOf('confidential')), clientSecret: 'wrong' })
  const back = await browser.answer(await oauth.authorizeUrl(), true)
  await expect(oauth.handleCallback(back)).rejects.toMatchObject({ code: 'invalid_client', status: 401 })
})

test('a refresh whose answer is lost is asked for again, and the sign-in lives on', async () => {
  let lost = 0
  const options = await optionsOf('public')
  const fetchOf = async (request: Request): Promise<Response> => {
    const isRefresh = (await request.clone().text()).includes('grant_type=refresh_token')
    const response = await fetch(request)
    if (!isRefresh || lost > 0) return response
    lost += 1
    throw new TypeError('the connection broke after the server had answered')
  }
  const oauth = createOAuth({ ...options, fetch: fetchOf })
  await signIn(oauth)
  for (let round = 0; round < 3; round += 1) await oauth.renew((await oauth.tokens())?.access_token ?? '')
  expect(lost).toBe(1)
  expect(await createClient({ baseUrl: server.url, token: oauth }).getMe()).toMatchObject({ email: ADMIN.email })
})

test('a live subscription goes on when its token is replaced', async () => {
  const oauth = createOAuth(await optionsOf('public'))
  await signIn(oauth)
  const states: string[] = []
  const live = createClient({ baseUrl: server.url, token: oauth }).live({
    printers: 'all',
    retryDelayMs: () => 10,
    onStatus: ({ state }) => states.push(state),
  })
  await live.waitFor((printers) => printers.size > 0)
  // Revoking the access token alone ends the socket, as its expiry does; the refresh token lives.
  const { access_token } = (await oauth.tokens()) ?? { access_token: '' }
  await oauth.renew(access_token)
  await admin.revokeToken({ token: access_token })
  await expect.poll(() => states.filter((state) => state === 'live')).toHaveLength(2)
  live.close()
})

test('signing out ends a live subscription, and it says why', async () => {
  const oauth = createOAuth(await optionsOf('public'))
  await signIn(oauth)
  const live = createClient({ baseUrl: server.url, token: oauth }).live({ printers: 'all', retryDelayMs: () => 10 })
  await live.waitFor((printers) => printers.size > 0)
  await oauth.signOut()
  await expect.poll(() => live.status).toMatchObject({ state: 'closed', error: { code: 'sign_in_required' } })
})

test('examples/sign-in-device.ts is let in by a code, stays so, and signs out', async () => {
  const { client_id } = await admin.addClient({
    name: 'A device',
    type: 'public',
    redirect_uris: ['http://127.0.0.1/'],
  })
  const file = join(folder.path, 'device', 'tokens.json')
  const env = { PRINTWARDEN_URL: server.url, PRINTWARDEN_CLIENT_ID: client_id, PRINTWARDEN_TOKEN_FILE: file }
  const start = (...more: string[]): Program => {
    const args = ['--conditions=x-source', '--import', 'tsx', join(ROOT, 'examples/sign-in-device.ts'), ...more]
    return startProgram(process.execPath, args, env)
  }
  const first = start()
  const [, userCode = ''] = await first.waitFor(/enter (\S+)\n/)
  await browser.enterCode(userCode)
  expect([await first.ended, first.output()]).toEqual([0, expect.stringContaining(`as ${ADMIN.email}\nMK4: offline\n`)])
  expect((await stat(file)).mode & 0o777).toBe(0o600)

  const second = start()
  expect([await second.ended, second.output()]).toEqual([0, `signed in as ${ADMIN.email}\nMK4: offline\n`])

  expect(await start('--sign-out').ended).toBe(0)
  expect(await readFile(file, 'utf8')).toBe('{}')
}, 90_000)
