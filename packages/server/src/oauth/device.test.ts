import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { testBrowser } from '../users/testing.js'
import { type OAuthTesting, oauthTesting, type TestApp, type TestBrowser } from './testing.js'
import { plainUserCode, shownUserCode } from './user-code.js'

let server: TestServer
let testing: OAuthTesting
let browser: TestBrowser
let app: TestApp

beforeAll(async () => {
  server = await startTestServer()
  testing = oauthTesting(server)
  browser = await testing.signedIn(server.owner)
  app = await testing.addApp('public')
})

afterAll(() => server.close())

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code'

async function begin(scope?: string): Promise<{ device_code: string; user_code: string }> {
  const { status, json } = await testing.post('/o/device_authorization/', { client_id: app.client_id, scope })
  expect(status).toBe(200)
  return { device_code: String(json['device_code']), user_code: String(json['user_code']) }
}

const poll = (device_code: string, who = app) =>
  testing.post('/o/token/', { grant_type: DEVICE, device_code, ...testing.credentials(who) })

async function type(user_code: string, who = browser) {
  const page = await who.get('/device/')
  return who.post('/device/', { ...page.hidden, user_code })
}

test('begins with what RFC 8628 asks for', async () => {
  const { json, headers } = await testing.post('/o/device_authorization', { client_id: app.client_id })
  expect(json).toEqual({
    device_code: expect.stringMatching(/^[0-9a-f]{64}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: `${server.url}/device/`,
    verification_uri_complete: `${server.url}/device/?user_code=${String(json['user_code'])}`,
    expires_in: 900,
    interval: 5,
  })
  expect(headers.get('cache-control')).toBe('no-store')
})

test('pending, slow_down, allowed, and only once', async () => {
  const { device_code, user_code } = await begin('read')
  expect(await poll(device_code)).toMatchObject({ status: 400, json: { error: 'authorization_pending' } })
  expect(await poll(device_code)).toMatchObject({ status: 400, json: { error: 'slow_down' } })
  server.clock.advance(5_000)
  expect(await poll(device_code), 'the interval has grown').toMatchObject({ json: { error: 'slow_down' } })
  server.clock.advance(15_000)
  expect(await poll(device_code)).toMatchObject({ json: { error: 'authorization_pending' } })

  const asked = await type(user_code)
  expect(asked.html).toContain(user_code)
  expect(asked.html).not.toContain('Upload G-Code')
  expect((await browser.post('/device/', { ...asked.hidden, allow: 'true' })).html).toContain('Connected')
  const { status, json } = await poll(device_code)
  expect(status).toBe(200)
  expect(json).toMatchObject({ scope: 'read', token_type: 'Bearer', expires_in: 3600 })
  expect(await testing.use(String(json['access_token']))).toBe(200)
  expect(await poll(device_code)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
  expect(await testing.use(String(json['access_token']))).toBe(200)
})

test('of many who poll at once when it is allowed, one gets tokens', async () => {
  const { device_code, user_code } = await begin()
  const asked = await type(user_code)
  await browser.post('/device/', { ...asked.hidden, allow: 'true' })
  const answers = await Promise.all(Array.from({ length: 20 }, () => poll(device_code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('a user who says no', async () => {
  const { device_code, user_code } = await begin()
  const asked = await type(user_code)
  expect((await browser.post('/device/', { ...asked.hidden, allow: 'false' })).html).toContain('Not connected')
  expect(await poll(device_code)).toMatchObject({ status: 400, json: { error: 'access_denied' } })
})

test('a code runs out, for the device and for the person', async () => {
  const { device_code, user_code } = await begin()
  server.clock.advance(900_000)
  expect(await poll(device_code)).toMatchObject({ status: 400, json: { error: 'expired_token' } })
  expect(await type(user_code)).toMatchObject({ status: 404 })
})

test("a device_code is of no use to another client, and needs the client's proof", async () => {
  const { device_code } = await begin()
  const stranger = await testing.addApp()
  expect(await poll(device_code, stranger)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
  const secret = { ...stranger, client_secret: 'wrong' }
  expect(await poll(device_code, secret)).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
})

test.each([
  { name: 'an unknown client', fields: { client_id: 'nobody' }, status: 401, error: 'invalid_client' },
  { name: 'no client', fields: { client_id: undefined }, status: 400, error: 'invalid_request' },
  { name: 'an unknown scope', fields: { scope: 'admin' }, status: 400, error: 'invalid_scope' },
])('beginning with $name: $status $error', async ({ fields, status, error }) => {
  const answer = await testing.post('/o/device_authorization/', { client_id: app.client_id, ...fields })
  expect(answer).toMatchObject({ status, json: { error } })
})

test('the page needs a signed-in person, and hands the code through the sign-in', async () => {
  const page = await testBrowser(server.url).get('/device/?user_code=BCDF-GHJK')
  expect(page.status).toBe(303)
  expect(decodeURIComponent(page.headers.get('location') ?? '')).toBe('/login/?next=/device/?user_code=BCDF-GHJK')
  expect((await browser.get('/device/?user_code=bcdf%20ghjk')).html).toContain('value="BCDF-GHJK"')
})

test('the answer is bound to the session and to the code', async () => {
  const mine = await begin()
  const theirs = await begin()
  const asked = await type(mine.user_code)
  const other = await browser.post('/device/', { ...asked.hidden, user_code: theirs.user_code, allow: 'true' })
  expect(other.status).toBe(403)
  const foreign = await browser.post('/device/', { ...asked.hidden, allow: 'true' }, { origin: 'https://evil.example' })
  expect(foreign.status).toBe(403)
  const stranger = await testing.signedIn(server.other)
  expect(await stranger.post('/device/', { ...asked.hidden, allow: 'true' })).toMatchObject({ status: 403 })
  for (const { device_code } of [mine, theirs]) {
    expect(await poll(device_code)).toMatchObject({ json: { error: 'authorization_pending' } })
  }
})

test('who guesses codes waits', async () => {
  const guesser = await testing.signedIn(await server.addUser('guesser'))
  const { user_code } = await begin()
  for (let i = 0; i < 5; i += 1) expect(await type('BBBB-BBBB', guesser)).toMatchObject({ status: 404 })
  const waiting = await type(user_code, guesser)
  expect(waiting.status).toBe(429)
  expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(0)
})

test.each([
  { typed: 'BCDF-GHJK', plain: 'BCDFGHJK' },
  { typed: ' bcdf ghjk ', plain: 'BCDFGHJK' },
  { typed: 'b.c.d.f–g/h/j/k', plain: 'BCDFGHJK' },
  { typed: '<script>', plain: 'SCRIPT' },
])('$typed is read as $plain', ({ typed, plain }) => {
  expect(plainUserCode(typed)).toBe(plain)
  expect(plainUserCode(shownUserCode(plain))).toBe(plain)
})
