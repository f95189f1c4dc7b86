import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { listSecurityEvents } from '../users/security-events-store.js'
import { testBrowser } from '../users/testing.js'
import { type OAuthTesting, oauthTesting, type TestBrowser } from './testing.js'

// How apps and tokens are managed, by the API and by the pages.

let server: TestServer
let testing: OAuthTesting
/** An administrator, and somebody else. */
let owner: TestBrowser
let other: TestBrowser

beforeAll(async () => {
  server = await startTestServer()
  testing = oauthTesting(server)
  owner = await testing.signedIn(server.owner)
  other = await testing.signedIn(server.other)
})

afterAll(() => server.close())

/** A call of the API by a browser's own page. */
async function api(browser: TestBrowser, method: string, path: string, body?: unknown) {
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(server.url + path, {
    method,
    headers: { cookie, origin: server.url, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: text === '' ? {} : JSON.parse(text) }
}

const APPS = '/api/v1/oauth/apps/'
const app = (changes: object = {}) => ({
  ...{ name: 'Display', description: 'Shows printers.', type: 'confidential' },
  redirect_uris: ['https://display.example/cb'],
  ...changes,
})

test('an app: registered with its secret once, seen, changed, its secret replaced, deleted', async () => {
  const made = await api(other, 'POST', APPS, app())
  expect(made.status).toBe(201)
  expect(made.headers.get('cache-control')).toBe('no-store')
  expect(made.json).toMatchObject({ ...app(), require_pkce: false, user_count: 0, owner: server.other.email })
  const { id, client_id, client_secret } = made.json
  const path = `${APPS}${id}/`
  const seen = await api(other, 'GET', path)
  expect(seen.text).not.toContain(client_secret)
  expect((await api(other, 'GET', APPS)).json).toEqual([seen.json])

  const asApp = { id, client_id, client_secret, redirect_uri: 'https://display.example/cb' }
  const { access_token } = await testing.connect(owner, asApp)
  await testing.use(access_token)
  expect((await api(other, 'GET', path)).json).toMatchObject({ user_count: 1, last_used_at: expect.any(String) })

  const changed = await api(other, 'PATCH', path, { name: 'Screen', type: 'public', client_id: 'x', owner: null })
  expect(changed.json).toMatchObject({ name: 'Screen', type: 'confidential', client_id, owner: server.other.email })

  const rotated = await api(other, 'POST', `${path}rotate_secret/`)
  expect(rotated.json).toEqual({ client_id, client_secret: expect.stringMatching(/^[0-9a-f]{64}$/) })
  const code = await testing.getCode(owner, asApp)
  expect(await testing.exchange(asApp, code)).toMatchObject({ status: 401 })
  const renewed = { ...asApp, client_secret: rotated.json.client_secret }
  expect(await testing.exchange(renewed, code)).toMatchObject({ status: 200 })

  expect(await api(other, 'DELETE', path)).toMatchObject({ status: 200, text: '' })
  const events = await listSecurityEvents(server.database.db, server.other.id, { limit: 9 })
  expect(events.filter(({ type }) => type.startsWith('app_re'))).toMatchObject([
    { type: 'app_removed', subject: 'Screen', ip_address: '127.0.0.1' },
    { type: 'app_registered', subject: 'Display', ip_address: '127.0.0.1' },
  ])
  expect(await api(other, 'GET', path)).toMatchObject({ status: 404 })
  expect(await testing.use(access_token)).toBe(401)
})

test('a public app has no secret and must use PKCE', async () => {
  const { json } = await api(other, 'POST', APPS, app({ type: 'public', redirect_uris: ['com.example.app:/cb'] }))
  expect(json).toMatchObject({ client_secret: null, require_pkce: true })
  const refused = await api(other, 'POST', `${APPS}${json.id}/rotate_secret/`)
  expect(refused).toMatchObject({ status: 409, json: { code: 'conflict' } })
  await api(other, 'DELETE', `${APPS}${json.id}/`)
})

test.each([
  { name: 'a relative redirect URI', body: app({ redirect_uris: ['/cb'] }), path: 'redirect_uris.0' },
  {
    name: 'a fragment',
    body: app({ redirect_uris: ['https://a.example/cb', 'https://a.example/#x'] }),
    path: 'redirect_uris.1',
  },
  {
    name: "an app's own scheme with a secret",
    body: app({ redirect_uris: ['com.example:/cb'] }),
    path: 'redirect_uris.0',
  },
  { name: 'script', body: app({ type: 'public', redirect_uris: ['javascript:alert(1)'] }), path: 'redirect_uris.0' },
  { name: 'no redirect URI', body: app({ redirect_uris: [] }), path: 'redirect_uris' },
  { name: 'no name', body: app({ name: ' ' }), path: 'name' },
  { name: 'a made-up type', body: app({ type: 'secret' }), path: 'type' },
])('registering with $name is refused where it is wrong', async ({ body, path }) => {
  expect(await api(other, 'POST', APPS, body)).toMatchObject({
    status: 400,
    json: { code: 'invalid_request', issues: [{ path, message: expect.any(String) }] },
  })
})

test("what is another's and what is missing answer with the same bytes", async () => {
  const { json: mine } = await api(owner, 'POST', APPS, app())
  const { json: token } = await api(owner, 'POST', '/api/v1/oauth/tokens/', { name: 'x', scope: 'read' })
  for (const [method, path, body] of [
    ['GET', `${APPS}#/`, undefined],
    ['PATCH', `${APPS}#/`, { name: 'y' }],
    ['DELETE', `${APPS}#/`, undefined],
    ['POST', `${APPS}#/rotate_secret/`, undefined],
    ['DELETE', '/api/v1/oauth/connections/#/', undefined],
  ] as const) {
    const foreign = await api(other, method, path.replace('#', String(mine.id)), body)
    const missing = await api(other, method, path.replace('#', '999999'), body)
    expect(foreign.status).toBe(404)
    expect(foreign.text).toBe(missing.text)
  }
  const foreign = await api(other, 'DELETE', `/api/v1/oauth/tokens/${token.id}/`)
  expect(foreign.status).toBe(404)
  expect(await testing.use(token.access_token)).toBe(200)
  for (const path of [`/developer/apps/${mine.id}/`, '/developer/apps/999999/', '/developer/apps/x/']) {
    expect((await other.get(path)).status).toBe(404)
  }
  await api(owner, 'DELETE', `${APPS}${mine.id}/`)
})

test('a token manages neither apps nor tokens, whatever its scope: it could make itself another', async () => {
  for (const [method, path] of [
    ['GET', APPS],
    ['POST', APPS],
    ['POST', '/api/v1/oauth/tokens/'],
    ['GET', '/api/v1/oauth/connections/'],
  ] as const) {
    const answer = await server.call(method, path, { body: method === 'POST' ? app() : undefined })
    expect(answer).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } })
  }
  const foreign = await fetch(`${server.url}/api/v1/oauth/tokens/`, {
    method: 'POST',
    headers: {
      cookie: [...owner.jar].map(([name, value]) => `${name}=${value}`).join('; '),
      origin: 'https://evil.example',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'x', scope: 'read write' }),
  })
  expect(foreign.status).toBe(403)
})

test('personal access tokens: told once, with name, scopes, expiry and last use', async () => {
  const body = { name: 'Backup', scope: 'read', expires_in_days: 30 }
  const made = await api(other, 'POST', '/api/v1/oauth/tokens/', body)
  expect(made.status).toBe(201)
  const { id, access_token, expires_at, created_at } = made.json
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(30 * 86_400_000)
  const mine = async () =>
    (await api(other, 'GET', '/api/v1/oauth/tokens/')).json.find((one: { id: number }) => one.id === id)
  expect(await mine()).toMatchObject({ name: 'Backup', scope: 'read', last_used_at: null })
  expect(await mine()).not.toHaveProperty('access_token')
  expect(await testing.use(access_token)).toBe(200)
  expect(await mine()).toMatchObject({ last_used_at: expect.any(String) })
  const patch = await server.call('PATCH', '/api/v1/users/me/', { token: access_token, body: {} })
  expect(patch.status).toBe(403)

  server.clock.advance(30 * 86_400_000)
  const expired = await server.call('GET', '/api/v1/users/me/', { token: access_token })
  expect(expired).toMatchObject({ status: 401, json: { code: 'token_expired' } })
  expect(expired.headers.get('www-authenticate')).toContain('error="invalid_token"')
  expect(await mine()).toBeUndefined()
})

test('the time of the last use is written once a minute, not with each request', async () => {
  const token = await server.addToken(server.other.id)
  const last = async (): Promise<number | null> => {
    const query = server.database.db.selectFrom('oauth_tokens').select('last_used_at')
    return (await query.where('token_hash', '=', server.secrets.hash(token)).executeTakeFirstOrThrow()).last_used_at
  }
  await testing.use(token)
  const first = await last()
  expect(first).not.toBeNull()
  server.clock.advance(45_000)
  await testing.use(token)
  expect(await last()).toBe(first)
  server.clock.advance(20_000)
  await testing.use(token)
  expect(await last()).toBeGreaterThan(first ?? 0)
})

test('administrators see and remove every app, and list and revoke anybody’s tokens', async () => {
  const { json: theirs } = await api(other, 'POST', APPS, app({ name: 'Theirs' }))
  const clients = (await server.call('GET', '/api/v1/admin/clients/')).json
  expect(clients).toContainEqual(expect.objectContaining({ name: 'Theirs', owner: server.other.email }))
  const rotated = await server.call('POST', `/api/v1/admin/clients/${theirs.client_id}/rotate_secret/`)
  expect(rotated.json).toMatchObject({ client_id: theirs.client_id })
  const tokens = await server.call('GET', `/api/v1/admin/tokens/?email=${server.other.email}`)
  expect(JSON.stringify(tokens.json)).not.toContain(server.owner.email)
  expect((await server.call('DELETE', `/api/v1/admin/clients/${theirs.client_id}/`)).status).toBe(200)
  expect((await server.call('DELETE', `/api/v1/admin/clients/${theirs.client_id}/`)).status).toBe(404)
  for (const path of ['clients', 'tokens']) {
    const refused = await server.call('GET', `/api/v1/admin/${path}/`, { token: server.other.token })
    expect(refused.status).toBe(403)
  }
})

test('the developer pages: register with plain words about what is wrong, secret once, delete after asking', async () => {
  const form = await other.get('/developer/apps/new/')
  const fields = { ...form.hidden, name: 'Paged', description: '', type: 'confidential' }
  const wrong = await other.post('/developer/apps/new/', {
    ...fields,
    redirect_uris: 'app.example/cb\nhttps://app.example/#x',
  })
  expect(wrong.status).toBe(400)
  expect(wrong.html).toContain('app.example/cb must be an absolute URI')
  expect(wrong.html).toContain('must not have a fragment')
  expect(wrong.html).toContain('value="Paged"')

  const made = await other.post('/developer/apps/new/', { ...fields, redirect_uris: 'https://app.example/cb\r\n' })
  expect(made.status).toBe(201)
  expect(made.headers.get('cache-control')).toBe('no-store')
  const [, secret = ''] = /class="secret">([0-9a-f]{64})</.exec(made.html) ?? []
  const [, id = ''] = /action="\/developer\/apps\/(\d+)\/delete\/"/.exec(made.html) ?? []
  const page = await other.get(`/developer/apps/${id}/`)
  expect(page.html).not.toContain(secret)
  expect((await owner.get('/developer/apps/')).html).toContain('Paged')

  const path = `/developer/apps/${id}/`
  const asked = await other.post(`${path}delete/`, { form_token: page.hidden['form_token'] ?? '' })
  expect(asked.html).toContain('Delete Paged?')
  expect((await other.get(path)).status).toBe(200)
  expect((await other.post(`${path}delete/`, { form_token: 'x', sure: 'yes' })).status).toBe(403)
  expect((await other.post(`${path}delete/`, asked.hidden)).html).toContain('The app was deleted')
  expect((await other.get(path)).status).toBe(404)
})

test('the pages of an account: apps with their last use, tokens shown once', async () => {
  const connected = await testing.addApp()
  const { access_token } = await testing.connect(other, connected)
  await testing.use(access_token)
  const apps = await other.get('/account/apps/')
  expect(apps.html).toContain('Test app')
  expect(apps.html).toContain('used just now')
  const form = { form_token: apps.hidden['form_token'] ?? '' }
  expect((await other.post(`/account/apps/${connected.id}/disconnect/`, { form_token: 'x' })).status).toBe(403)
  expect(await testing.use(access_token)).toBe(200)
  const gone = await other.post(`/account/apps/${connected.id}/disconnect/`, form)
  expect(gone.html).not.toContain('Test app')
  expect(await testing.use(access_token)).toBe(401)

  const fields = { ...form, name: 'Script', scope: 'read', expires_in_days: '90' }
  expect((await other.post('/account/tokens/', { ...fields, name: '' })).status).toBe(400)
  expect((await other.post('/account/tokens/', { ...fields, expires_in_days: '99999' })).status).toBe(400)
  const made = await other.post('/account/tokens/', fields)
  const [, token = ''] = /class="secret">([0-9a-f]{64})</.exec(made.html) ?? []
  expect(await testing.use(token)).toBe(200)
  const listed = await other.get('/account/tokens/')
  expect(listed.html).not.toContain(token)
  const [, path = ''] =
    /action="(\/account\/tokens\/\d+\/revoke\/)"[^>]*>(?:(?!<\/form>).)*Revoke Script/s.exec(listed.html) ?? []
  expect(
    (await owner.post(path, { form_token: (await owner.get('/account/tokens/')).hidden['form_token'] ?? '' })).status,
  ).toBe(404)
  expect((await other.post(path, form)).status).toBe(200)
  expect(await testing.use(token)).toBe(401)
})

test('every page asks for a sign-in and leads back to itself; forms are not sent again', async () => {
  const nobody = testBrowser(server.url)
  for (const path of ['/account/apps/', '/account/tokens/', '/developer/apps/', '/developer/apps/new/', '/device/']) {
    const page = await nobody.get(path)
    expect([page.status, page.headers.get('location')]).toEqual([303, `/login/?next=${encodeURIComponent(path)}`])
  }
  const sent = await nobody.post('/account/tokens/7/revoke/', {})
  expect(sent.headers.get('location')).toBe(`/login/?next=${encodeURIComponent('/account/tokens/')}`)
})

test('a token in the address is refused in plain words', async () => {
  const token = server.other.token
  const none = await fetch(`${server.url}/api/v1/users/me/?access_token=${token}`)
  expect(none.status).toBe(401)
  expect(await none.json()).toMatchObject({
    code: 'unauthorized',
    detail: expect.stringContaining('Authorization: Bearer'),
  })
  const both = await server.call('GET', `/api/v1/users/me/?access_token=${token}`, { token })
  expect(both).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  const byKey = await fetch(`${server.url}/api/v1/users/me/`, { headers: { 'x-api-key': token } })
  expect(byKey.status).toBe(200)
})
