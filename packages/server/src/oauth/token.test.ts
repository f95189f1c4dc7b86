import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { type OAuthTesting, oauthTesting, type TestApp, type TestBrowser } from './testing.js'

let server: TestServer
let testing: OAuthTesting
let browser: TestBrowser
let app: TestApp
let open: TestApp

beforeAll(async () => {
  server = await startTestServer()
  testing = oauthTesting(server)
  browser = await testing.signedIn(server.owner)
  app = await testing.addApp()
  open = await testing.addApp('public')
})

afterAll(() => server.close())

const basic = ({ client_id, client_secret }: TestApp): string =>
  `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`

test('a code for tokens: the shape of section 5, kept by no cache, readable from any origin', async () => {
  const answer = await testing.exchange(app, await testing.getCode(browser, app))
  expect(answer.status).toBe(200)
  expect(answer.json).toEqual({
    access_token: expect.stringMatching(/^[0-9a-f]{64}$/),
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'read write',
    refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('pragma')).toBe('no-cache')
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
})

test('expires_in is the configured number, whenever it is asked', async () => {
  for (let round = 0; round < 20; round += 1) {
    server.clock.advance(137)
    const { json } = await testing.exchange(app, await testing.getCode(browser, app))
    expect(json['expires_in']).toBe(3600)
  }
})

test('neither tokens nor codes nor secrets are in the database, only their hashes', async () => {
  const code = await testing.getCode(browser, app)
  const { json } = await testing.exchange(app, code)
  const { db } = server.database
  const rows = await Promise.all([
    db.selectFrom('oauth_grants').selectAll().execute(),
    db.selectFrom('oauth_tokens').selectAll().execute(),
    db.selectFrom('oauth_refresh_tokens').selectAll().execute(),
    db.selectFrom('oauth_clients').selectAll().execute(),
  ])
  const text = JSON.stringify(rows)
  for (const secret of [code, json['access_token'], json['refresh_token'], app.client_secret]) {
    expect(text).not.toContain(String(secret))
    expect(text).toContain(server.secrets.hash(String(secret)))
  }
})

const good = { grant_type: 'authorization_code', code: 'unknown', redirect_uri: 'https://app.example/callback' }

test.each([
  { name: 'an unknown client', fields: { ...good, client_id: 'nobody' }, status: 401, error: 'invalid_client' },
  { name: 'a wrong secret', fields: { ...good, client_secret: 'wrong' }, status: 401, error: 'invalid_client' },
  { name: 'no secret', fields: { ...good, client_secret: undefined }, status: 401, error: 'invalid_client' },
  { name: 'no client_id', fields: { ...good, client_id: undefined }, status: 400, error: 'invalid_request' },
  { name: 'no grant_type', fields: { ...good, grant_type: undefined }, status: 400, error: 'invalid_request' },
  { name: 'an empty grant_type', fields: { ...good, grant_type: '' }, status: 400, error: 'invalid_request' },
  {
    name: 'the password grant',
    fields: { ...good, grant_type: 'password' },
    status: 400,
    error: 'unsupported_grant_type',
  },
  {
    name: 'the client credentials grant',
    fields: { ...good, grant_type: 'client_credentials' },
    status: 400,
    error: 'unsupported_grant_type',
  },
  { name: 'no code', fields: { ...good, code: undefined }, status: 400, error: 'invalid_request' },
  { name: 'no redirect_uri', fields: { ...good, redirect_uri: undefined }, status: 400, error: 'invalid_request' },
  {
    name: 'an unregistered redirect_uri',
    fields: { ...good, redirect_uri: 'https://evil.example/' },
    status: 400,
    error: 'invalid_redirect_uri',
  },
  { name: 'an unknown code', fields: good, status: 400, error: 'invalid_grant' },
  { name: 'a code with a line break', fields: { ...good, code: 'a\r\nb' }, status: 400, error: 'invalid_request' },
  { name: 'a code with NUL', fields: { ...good, code: 'a\0b' }, status: 400, error: 'invalid_request' },
  { name: 'a code beyond ASCII', fields: { ...good, code: 'ä' }, status: 400, error: 'invalid_request' },
  { name: 'a huge code', fields: { ...good, code: 'x'.repeat(2001) }, status: 400, error: 'invalid_request' },
  { name: 'no refresh_token', fields: { grant_type: 'refresh_token' }, status: 400, error: 'invalid_request' },
  {
    name: 'an unknown refresh_token',
    fields: { grant_type: 'refresh_token', refresh_token: 'x' },
    status: 400,
    error: 'invalid_grant',
  },
  {
    name: 'an unknown device_code',
    fields: { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x' },
    status: 400,
    error: 'invalid_grant',
  },
])('$name: $status $error', async ({ fields, status, error }) => {
  const answer = await testing.post('/o/token/', { ...testing.credentials(app), ...fields })
  expect(answer).toMatchObject({ status, json: { error, error_description: expect.any(String) } })
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
})

test('a wrong secret and an unknown client are told in the same bytes', async () => {
  const wrong = await testing.post('/o/token/', { ...good, client_id: app.client_id, client_secret: 'x' })
  const unknown = await testing.post('/o/token/', { ...good, client_id: 'nobody', client_secret: 'x' })
  expect(wrong.text).toBe(unknown.text)
})

test('who tried the header is told its scheme, others are not', async () => {
  const bad = { ...app, client_secret: 'wrong' }
  const byHeader = await testing.post('/o/token/', good, { authorization: basic(bad) })
  expect(byHeader).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
  expect(byHeader.headers.get('www-authenticate')).toMatch(/^Basic realm=/)
  const byForm = await testing.post('/o/token/', { ...good, ...testing.credentials(bad) })
  expect(byForm.headers.get('www-authenticate')).toBeNull()
})

test('Basic proves the client', async () => {
  const code = await testing.getCode(browser, app)
  const fields = { grant_type: 'authorization_code', code, redirect_uri: app.redirect_uri }
  expect(await testing.post('/o/token', fields, { authorization: basic(app) })).toMatchObject({ status: 200 })
})

test('two ways of proving oneself at once are refused', async () => {
  const answer = await testing.post(
    '/o/token/',
    { ...good, ...testing.credentials(app) },
    { authorization: basic(app) },
  )
  expect(answer).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
})

test.each(['code', 'client_id', 'grant_type', 'redirect_uri', 'made_up'])('%s sent twice is refused', async (name) => {
  const form = new URLSearchParams({ ...good, client_id: app.client_id, client_secret: app.client_secret ?? '' })
  form.append(name, 'x')
  form.append(name, 'x')
  const answer = await testing.post('/o/token/', form.toString())
  expect(answer).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
})

test.each([
  { type: 'application/json', body: JSON.stringify(good) },
  { type: 'multipart/form-data; boundary=x', body: '--x--' },
  { type: 'text/plain', body: 'grant_type=authorization_code' },
  { type: 'application/x-www-form-urlencoded; charset=utf-16', body: 'grant_type=x' },
])('a body of $type is refused in the form of OAuth', async ({ type, body }) => {
  const answer = await testing.post('/o/token/', body, { 'content-type': type })
  expect(answer).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
})

test('a charset that says UTF-8 is fine', async () => {
  const code = await testing.getCode(browser, app)
  const fields = { grant_type: 'authorization_code', code, redirect_uri: app.redirect_uri, ...testing.credentials(app) }
  const type = 'application/x-www-form-urlencoded; charset=UTF-8'
  expect(await testing.post('/o/token/', fields, { 'content-type': type })).toMatchObject({ status: 200 })
})

test('a body that is too large is refused in the form of OAuth', async () => {
  const answer = await testing.post('/o/token/', `code=${'x'.repeat(70_000)}`)
  expect(answer).toMatchObject({ status: 413, json: { error: 'invalid_request' } })
})

test('an empty body is a missing client', async () => {
  expect(await testing.post('/o/token/', '')).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
})

test.each(['/o/token/', '/o/token', '/o/revoke_token/', '/o/introspect/'])(
  'GET %s is 405 in the form of OAuth',
  async (path) => {
    const answer = await fetch(server.url + path)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' })
  },
)

test('an unknown path below /o/ is 404 in the form of OAuth', async () => {
  const answer = await fetch(`${server.url}/o/nothing/`)
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({ error: 'invalid_request' })
})

test('preflights of apps on other origins are answered where decision 3 says so, and nowhere else', async () => {
  const preflight = async (path: string): Promise<string | null> => {
    const headers = { origin: 'https://spa.example', 'access-control-request-method': 'POST' }
    const answer = await fetch(server.url + path, { method: 'OPTIONS', headers })
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    return answer.headers.get('access-control-allow-origin')
  }
  expect(await preflight('/o/token/')).toBe('*')
  expect(await preflight('/o/revoke_token/')).toBe('*')
  expect(await preflight('/.well-known/oauth-authorization-server')).toBe('*')
  expect(await preflight('/o/authorize/')).toBeNull()
  expect(await preflight('/account/tokens/')).toBeNull()
})

test.each(['', '/'])('the metadata tell what there is (with "%s" at the end)', async (end) => {
  const answer = await fetch(`${server.url}/.well-known/oauth-authorization-server${end}`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toMatch(/max-age=/)
  expect(await answer.json()).toMatchObject({
    issuer: server.url,
    token_endpoint: `${server.url}/o/token/`,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    scopes_supported: ['read', 'write'],
    authorization_response_iss_parameter_supported: true,
  })
})

test('revoking: an unknown token is 200 and empty, a missing one 400, a wrong client 401', async () => {
  const known = testing.credentials(app)
  const unknown = await testing.post('/o/revoke_token/', { ...known, token: 'x' })
  expect(unknown).toMatchObject({ status: 200, text: '' })
  expect(unknown.headers.get('cache-control')).toBe('no-store')
  const missing = await testing.post('/o/revoke_token/', known)
  expect(missing).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
  const wrong = await testing.post('/o/revoke_token/', { ...known, client_secret: 'x', token: 'x' })
  expect(wrong).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
})

test('a public client revokes with its client_id alone', async () => {
  const { access_token } = await testing.connect(browser, open)
  expect(await testing.post('/o/revoke_token', { client_id: open.client_id, token: access_token })).toMatchObject({
    status: 200,
  })
  expect(await testing.use(access_token)).toBe(401)
})

test('revoking an access token leaves the refresh token, and revoking that ends everything', async () => {
  const { access_token, refresh_token } = await testing.connect(browser, app)
  await testing.post('/o/revoke_token/', { ...testing.credentials(app), token: access_token })
  const { json } = await testing.refresh(app, refresh_token)
  expect(await testing.use(String(json['access_token']))).toBe(200)
  await testing.post('/o/revoke_token/', { ...testing.credentials(app), token: String(json['refresh_token']) })
  expect(await testing.use(String(json['access_token']))).toBe(401)
})

test("one client cannot revoke or introspect another's token, and learns nothing about it", async () => {
  const { access_token, refresh_token } = await testing.connect(browser, app)
  const stranger = testing.credentials(await testing.addApp())
  for (const token of [access_token, refresh_token, server.owner.token]) {
    expect(await testing.post('/o/revoke_token/', { ...stranger, token })).toMatchObject({ status: 200, text: '' })
    const told = await testing.post('/o/introspect/', { ...stranger, token })
    expect(told).toMatchObject({ status: 200, json: { active: false } })
    expect(Object.keys(told.json)).toEqual(['active'])
  }
  expect(await testing.use(access_token)).toBe(200)
})

test('introspection is for clients with a secret', async () => {
  const answer = await testing.post('/o/introspect/', { client_id: open.client_id, token: 'x' })
  expect(answer).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
})

test('what a database in trouble answers is no token', async () => {
  const broken = { ...testing.credentials(app), grant_type: 'refresh_token', refresh_token: 'x' }
  const { db } = server.database
  const renamed = db.schema.alterTable('oauth_refresh_tokens').renameTo('hidden_for_a_test')
  await renamed.execute()
  try {
    expect(await testing.post('/o/token/', broken)).toMatchObject({ status: 500, json: { error: 'server_error' } })
  } finally {
    await db.schema.alterTable('hidden_for_a_test').renameTo('oauth_refresh_tokens').execute()
  }
})
