import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { connectLive } from '../live/testing.js'
import { startTestServer, type TestServer } from '../testing.js'
import { listSecurityEvents } from '../users/security-events-store.js'
import { type OAuthTesting, oauthTesting, type TestApp, type TestBrowser } from './testing.js'

// Revocation, whoever asks for it, ends the token's sockets and is known on every node at once.

let server: TestServer
let testing: OAuthTesting
let browser: TestBrowser
let app: TestApp

beforeAll(async () => {
  server = await startTestServer()
  testing = oauthTesting(server)
  browser = await testing.signedIn(server.owner)
  app = await testing.addApp('confidential', 'https://app.example/callback', server.owner.id)
})

afterAll(() => server.close())

interface Connected {
  readonly access_token: string
  readonly refresh_token: string
  readonly code: string
}

async function connect(): Promise<Connected> {
  const code = await testing.getCode(browser, app)
  const { json } = await testing.exchange(app, code)
  return { code, access_token: String(json['access_token']), refresh_token: String(json['refresh_token']) }
}

const formToken = async (path: string): Promise<Record<string, string>> => {
  const { hidden } = await browser.get(path)
  return { form_token: hidden['form_token'] ?? '' }
}

test.each<{ name: string; revoke: (connected: Connected) => Promise<unknown> }>([
  {
    name: 'the app, by its access token',
    revoke: ({ access_token }) =>
      testing.post('/o/revoke_token/', { ...testing.credentials(app), token: access_token }),
  },
  {
    name: 'the app, by its refresh token',
    revoke: ({ refresh_token }) =>
      testing.post('/o/revoke_token/', { ...testing.credentials(app), token: refresh_token }),
  },
  {
    name: 'the user, on the page of connected apps',
    revoke: async () => browser.post(`/account/apps/${app.id}/disconnect/`, await formToken('/account/apps/')),
  },
  {
    name: 'the developer, for everybody',
    revoke: async () =>
      browser.post(`/developer/apps/${app.id}/disconnect_all/`, {
        ...(await formToken(`/developer/apps/${app.id}/`)),
        sure: 'yes',
      }),
  },
  {
    name: 'an administrator, by the token',
    revoke: ({ access_token }) =>
      server.call('POST', '/api/v1/admin/tokens/revoke/', { body: { token: access_token } }),
  },
  {
    name: 'an administrator, by its number',
    revoke: async ({ access_token }) => {
      const query = server.database.db.selectFrom('oauth_tokens').select('id')
      const { id } = await query.where('token_hash', '=', server.secrets.hash(access_token)).executeTakeFirstOrThrow()
      return server.call('DELETE', `/api/v1/admin/tokens/${id}/`)
    },
  },
  { name: 'a replay of the code', revoke: ({ code }) => testing.exchange(app, code) },
])('revoked by $name: sockets close, and no node lets it in from memory', async ({ revoke }) => {
  const connected = await connect()
  const { access_token: token } = connected
  const { http: otherNode } = await buildApp(server)
  const elsewhere = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` }
    return (await otherNode.inject({ url: '/api/v1/users/me/', headers })).statusCode
  }
  const live = connectLive(server, { token })
  await live.subscribe()
  await live.reach(1)
  expect([await testing.use(token), await elsewhere()]).toEqual([200, 200])

  await revoke(connected)
  expect(await live.ended).toBe(4401)
  expect([await testing.use(token), await elsewhere()]).toEqual([401, 401])
  await otherNode.close()
})

test('removing an app ends its sockets and tokens', async () => {
  const gone = await testing.addApp()
  const { access_token: token, refresh_token } = await testing.connect(browser, gone)
  const live = connectLive(server, { token })
  await live.subscribe()
  await live.reach(1)
  expect((await server.call('DELETE', `/api/v1/admin/clients/${gone.client_id}/`)).status).toBe(200)
  expect(await live.ended).toBe(4401)
  expect(await testing.use(token)).toBe(401)
  expect(await testing.refresh(gone, refresh_token)).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
})

test('disconnecting forgets the consent and ends refresh tokens and unused codes', async () => {
  const { refresh_token } = await connect()
  const code = await testing.getCode(browser, app)
  await browser.post(`/account/apps/${app.id}/disconnect/`, await formToken('/account/apps/'))
  expect(await testing.refresh(app, refresh_token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
  expect(await testing.exchange(app, code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
  expect((await browser.get(testing.authorizePath(app))).status).toBe(200)
})

/** What the owner's newest security event says. */
async function newestEvent(): Promise<{ type: string; subject: string | null; ip_address: string | null } | undefined> {
  const [newest] = await listSecurityEvents(server.database.db, server.owner.id, { limit: 1 })
  return newest && { type: newest.type, subject: newest.subject, ip_address: newest.ip_address }
}

test('the user is told of a token that somebody else ended, and of whose it was', async () => {
  const name = 'Test app'
  const byApp = await connect()
  await testing.post('/o/revoke_token/', { ...testing.credentials(app), token: byApp.refresh_token })
  expect(await newestEvent()).toEqual({ type: 'token_revoked', subject: name, ip_address: '127.0.0.1' })
  const count = async () => (await listSecurityEvents(server.database.db, server.owner.id, { limit: 2000 })).length
  const before = await count()
  await testing.post('/o/revoke_token/', { ...testing.credentials(app), token: byApp.refresh_token })
  expect(await count()).toBe(before)

  const byAdministrator = await connect()
  await server.call('POST', '/api/v1/admin/tokens/revoke/', { body: { token: byAdministrator.access_token } })
  // Where the administrator was is no business of the user's.
  expect(await newestEvent()).toEqual({ type: 'token_revoked', subject: name, ip_address: null })
})
