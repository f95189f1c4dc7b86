import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { testBrowser } from '../users/testing.js'
import { escapeHtml } from '../users/pages.js'
import { type OAuthTesting, oauthTesting, pkcePair, type TestApp, type TestBrowser } from './testing.js'

let server: TestServer
let testing: OAuthTesting
let browser: TestBrowser
let app: TestApp

beforeAll(async () => {
  server = await startTestServer()
  testing = oauthTesting(server)
  browser = await testing.signedIn(server.owner)
  app = await testing.addApp()
})

afterAll(() => server.close())

const { challenge } = pkcePair()

test.each([
  { name: 'an unknown client', more: { client_id: 'nobody' }, code: 'invalid_client' },
  { name: 'no client', more: { client_id: undefined }, code: 'invalid_client' },
  { name: 'no redirect URI', more: { redirect_uri: undefined }, code: 'invalid_redirect_uri' },
  { name: 'another redirect URI', more: { redirect_uri: 'https://app.example/other' }, code: 'invalid_redirect_uri' },
  { name: 'a subdomain', more: { redirect_uri: 'https://x.app.example/callback' }, code: 'invalid_redirect_uri' },
  { name: 'another port', more: { redirect_uri: 'https://app.example:444/callback' }, code: 'invalid_redirect_uri' },
  { name: 'a query more', more: { redirect_uri: 'https://app.example/callback?x=1' }, code: 'invalid_redirect_uri' },
  { name: 'a fragment', more: { redirect_uri: 'https://app.example/callback#x' }, code: 'invalid_redirect_uri' },
  { name: 'other letters', more: { redirect_uri: 'https://APP.example/callback' }, code: 'invalid_redirect_uri' },
  {
    name: 'encoded dots',
    more: { redirect_uri: 'https://app.example/a/%2e%2e/callback' },
    code: 'invalid_redirect_uri',
  },
  {
    name: 'user-info',
    more: { redirect_uri: 'https://app.example@evil.example/callback' },
    code: 'invalid_redirect_uri',
  },
  { name: 'a line break', more: { redirect_uri: 'https://app.example/callback\r\nX: y' }, code: 'invalid_request' },
  { name: 'a huge one', more: { redirect_uri: `https://app.example/${'a'.repeat(2000)}` }, code: 'invalid_request' },
])('a request with $name is shown as a page and never redirected', async ({ more, code }) => {
  for (const who of [browser, testBrowser(server.url)]) {
    const page = await who.get(testing.authorizePath(app, more))
    expect(page.status).toBe(400)
    expect(page.headers.get('location')).toBeNull()
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(page.html).toContain(`<code>${code}</code>`)
  }
})

test.each(['client_id', 'redirect_uri'])('two of %s are shown as a page', async (name) => {
  const page = await browser.get(`${testing.authorizePath(app)}&${name}=x`)
  expect(page).toMatchObject({ status: 400 })
  expect(page.html).toContain('<code>invalid_request</code>')
})

test.each([
  { name: 'no response_type', more: { response_type: undefined }, error: 'invalid_request' },
  { name: 'the implicit grant', more: { response_type: 'token' }, error: 'unsupported_response_type' },
  { name: 'a made-up response_type', more: { response_type: 'code token' }, error: 'unsupported_response_type' },
  { name: 'another response_mode', more: { response_mode: 'fragment' }, error: 'invalid_request' },
  { name: 'an unknown scope', more: { scope: 'read admin' }, error: 'invalid_scope' },
  {
    name: 'PKCE in plain',
    more: { code_challenge: challenge, code_challenge_method: 'plain' },
    error: 'invalid_request',
  },
  { name: 'PKCE without a method', more: { code_challenge: challenge }, error: 'invalid_request' },
  { name: 'a method without a challenge', more: { code_challenge_method: 'S256' }, error: 'invalid_request' },
  {
    name: 'a short challenge',
    more: { code_challenge: 'abc', code_challenge_method: 'S256' },
    error: 'invalid_request',
  },
])('a request with $name goes back to the app as $error, with state and iss', async ({ more, error }) => {
  const page = await browser.get(testing.authorizePath(app, { state: 'a b&c', ...more }))
  expect(page.status).toBe(302)
  const location = new URL(page.headers.get('location') ?? '')
  expect(location.origin + location.pathname).toBe(app.redirect_uri)
  expect(Object.fromEntries(location.searchParams)).toMatchObject({ error, state: 'a b&c', iss: server.url })
  expect(location.searchParams.has('code')).toBe(false)
})

test('a parameter that was sent twice goes back to the app', async () => {
  const page = await browser.get(`${testing.authorizePath(app, { state: 'x' })}&scope=read&scope=write`)
  expect(new URL(page.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
})

test('a state with a line break is refused and not echoed', async () => {
  const page = await browser.get(testing.authorizePath(app, { state: 'a\r\nSet-Cookie: x=1' }))
  const location = new URL(page.headers.get('location') ?? '')
  expect(location.searchParams.get('error')).toBe('invalid_request')
  expect(location.searchParams.has('state')).toBe(false)
})

test('who is not signed in signs in first and comes back, with and without the slash at the end', async () => {
  const somebody = testBrowser(server.url)
  const path = testing.authorizePath(app, { state: 'a b', scope: 'read' })
  for (const asked of [path, path.replace('/authorize/?', '/authorize?')]) {
    const page = await somebody.get(asked)
    expect(page.status).toBe(302)
    const to = new URL(page.headers.get('location') ?? '', server.url)
    expect(to.pathname).toBe('/login/')
    const login = await somebody.get(to.pathname + to.search)
    const { email, password } = server.other
    const back = await somebody.post('/login/', { ...login.hidden, email, password })
    expect(back.headers.get('location')).toContain('/o/authorize/?')
    const consent = await somebody.get(back.headers.get('location') ?? '')
    expect(consent.hidden).toMatchObject({ state: 'a b', scope: 'read', redirect_uri: app.redirect_uri })
    await somebody.post('/logout/', {})
  }
})

test('a long state survives the sign-in', async () => {
  const somebody = testBrowser(server.url)
  const page = await somebody.get(testing.authorizePath(app, { state: 's'.repeat(3500) }))
  const login = await somebody.get(page.headers.get('location') ?? '')
  const { email, password } = server.other
  const back = await somebody.post('/login/', { ...login.hidden, email, password })
  const location = await testing.answer(somebody, back.headers.get('location') ?? '')
  expect(location.searchParams.get('state')).toHaveLength(3500)
})

test('the consent page names the app, the permissions and the account, and nothing a stranger sent becomes markup', async () => {
  const nasty = '"><script>alert(1)</script>'
  const { row } = await testing.clients.register(
    { name: nasty, description: nasty, type: 'public', redirect_uris: ['https://nasty.example/cb'] },
    null,
  )
  const path = testing.authorizePath({ ...app, client_id: row.client_id, redirect_uri: 'https://nasty.example/cb' })
  const page = await browser.get(`${path}&state=${encodeURIComponent(nasty)}`)
  expect(page.status).toBe(200)
  expect(page.html).not.toContain('<script')
  expect(page.html).toContain(escapeHtml(nasty))
  for (const words of [
    'Query printer status',
    'Upload G-Code',
    'printer page',
    'Control printers',
    server.owner.email,
  ]) {
    expect(page.html).toContain(words)
  }
  expect(page.html).not.toMatch(/<style|\sstyle=|\son\w+=/)
  const readOnly = await browser.get(`${path}&scope=read`)
  expect(readOnly.html).not.toContain('Upload G-Code')
})

test('the consent page cannot be framed or kept, and its form may lead to the app', async () => {
  const page = await browser.get(testing.authorizePath(app))
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("form-action 'self' https:")
  expect(policy).toContain("default-src 'self'")
  expect(page.headers.get('x-frame-options')).toBe('DENY')
  expect(page.headers.get('cache-control')).toBe('no-store')
})

test('the answer carries code, state and iss; denying carries access_denied', async () => {
  const allowed = await testing.answer(browser, testing.authorizePath(app, { state: 'xyz' }))
  expect(allowed.origin + allowed.pathname).toBe(app.redirect_uri)
  expect(Object.fromEntries(allowed.searchParams)).toEqual({
    code: expect.stringMatching(/^[0-9a-f]{64}$/),
    state: 'xyz',
    iss: server.url,
  })
  const other = await testing.addApp()
  const denied = await testing.answer(browser, testing.authorizePath(other, { state: 'xyz' }), false)
  expect(Object.fromEntries(denied.searchParams)).toMatchObject({
    error: 'access_denied',
    state: 'xyz',
    iss: server.url,
  })
  expect(denied.searchParams.has('code')).toBe(false)
})

test.each([
  { name: 'without the anti-forgery field', change: { form_token: '' }, headers: {} },
  { name: 'with a made-up field', change: { form_token: 'x'.repeat(43) }, headers: {} },
  { name: 'from a foreign page', change: {}, headers: { origin: 'https://evil.example' } },
  { name: 'with other scopes than were shown', change: { scope: 'read write' }, headers: {} },
  { name: 'with another state', change: { state: 'of another' }, headers: {} },
])('an answer $name counts as none', async ({ change, headers }) => {
  const fresh = await testing.addApp()
  const page = await browser.get(testing.authorizePath(fresh, { scope: 'read', state: 'mine' }))
  const answered = await browser.post('/o/authorize/', { ...page.hidden, allow: 'true', ...change }, headers)
  expect(answered.status).toBe(403)
  expect(answered.headers.get('location')).toBeNull()
})

test("another user's anti-forgery field counts as none", async () => {
  const fresh = await testing.addApp()
  const theirs = await (await testing.signedIn(server.other)).get(testing.authorizePath(fresh))
  expect(await browser.post('/o/authorize/', { ...theirs.hidden, allow: 'true' })).toMatchObject({ status: 403 })
})

test('an answer that is neither yes nor no asks again', async () => {
  const fresh = await testing.addApp()
  const page = await browser.get(testing.authorizePath(fresh))
  expect(await browser.post('/o/authorize/', { ...page.hidden, allow: 'maybe' })).toMatchObject({ status: 400 })
})

test('the same is not asked twice; more is, and so is what the app wants asked', async () => {
  const fresh = await testing.addApp()
  const path = (more: Record<string, string>): string => testing.authorizePath(fresh, more)
  const statusOf = async (more: Record<string, string>): Promise<number> => (await browser.get(path(more))).status
  await testing.answer(browser, path({ scope: 'read' }))
  expect(await statusOf({ scope: 'read' })).toBe(302)
  expect(await statusOf({ scope: 'read write' })).toBe(200)
  expect(await statusOf({ scope: 'read', prompt: 'consent' })).toBe(200)
  await testing.answer(browser, path({ scope: 'write' }))
  expect(await statusOf({ scope: 'read write' })).toBe(302)
  const other = await testing.signedIn(server.other)
  expect((await other.get(path({ scope: 'read' }))).status).toBe(200)
})

test('denying is not remembered', async () => {
  const fresh = await testing.addApp()
  await testing.answer(browser, testing.authorizePath(fresh), false)
  expect((await browser.get(testing.authorizePath(fresh))).status).toBe(200)
})

test.each([
  { redirect_uri: 'https://spa.example/cb', type: 'public', status: 302 },
  { redirect_uri: 'http://127.0.0.1:9/cb', type: 'public', status: 200 },
  { redirect_uri: 'com.example.app:/cb', type: 'public', status: 200 },
  { redirect_uri: 'http://127.0.0.1:9/cb', type: 'confidential', status: 302 },
] as const)('a $type app at $redirect_uri, allowed before: $status', async ({ redirect_uri, type, status }) => {
  const fresh = await testing.addApp(type, redirect_uri)
  await testing.answer(browser, testing.authorizePath(fresh))
  expect((await browser.get(testing.authorizePath(fresh))).status).toBe(status)
})

test('an app on the user’s machine may come from any port', async () => {
  const fresh = await testing.addApp('public', 'http://127.0.0.1/cb')
  const redirect_uri = 'http://127.0.0.1:51234/cb'
  const location = await testing.answer(browser, testing.authorizePath(fresh, { redirect_uri }))
  expect(location.origin).toBe('http://127.0.0.1:51234')
  const code = location.searchParams.get('code') ?? ''
  expect(await testing.exchange(fresh, code, { redirect_uri: 'http://127.0.0.1:51235/cb' })).toMatchObject({
    status: 400,
    json: { error: 'invalid_grant' },
  })
})

test('"not you?" signs out, and the next one comes back to the question', async () => {
  const mine = await testing.signedIn(server.owner)
  const path = testing.authorizePath(await testing.addApp(), { state: 'x' })
  const page = await mine.get(path)
  const away = await mine.post('/logout/', { next: page.hidden['next'] ?? '' })
  expect(away.status).toBe(303)
  const login = await mine.get(away.headers.get('location') ?? '')
  const { email, password } = server.other
  const back = await mine.post('/login/', { ...login.hidden, email, password })
  expect((await mine.get(back.headers.get('location') ?? '')).html).toContain(email)
})

test('an app that a user registered must use PKCE, and is named as such', async () => {
  const own = await testing.addApp('public', 'https://own.example/cb', server.other.id)
  const without = await browser.get(testing.authorizePath(own))
  expect(new URL(without.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
  const page = await browser.get(
    testing.authorizePath(own, { code_challenge: challenge, code_challenge_method: 'S256' }),
  )
  expect(page.status).toBe(200)
  expect(page.html).toContain('A user of this server registered this app')
})

test('a token opens no page: the question is for a person', async () => {
  const headers = { authorization: `Bearer ${server.owner.token}` }
  const answer = await fetch(server.url + testing.authorizePath(app), { headers, redirect: 'manual' })
  expect(answer.status).toBe(302)
  expect(answer.headers.get('location')).toMatch(/^\/login\//)
})

test('a slicer is unknown until an administrator allows it, and then gets its token in the fragment', async () => {
  const path = '/o/authorize?response_type=token&client_id=OrcaSlicer&hide_navbar=true'
  expect((await browser.get(path)).html).toContain('<code>invalid_client</code>')
  const allowed = await server.call('POST', '/api/v1/admin/slicers/', { body: { client_id: 'OrcaSlicer' } })
  expect(allowed.status).toBe(201)
  expect((await server.call('POST', '/api/v1/admin/slicers/', { body: { client_id: 'Other' } })).status).toBe(400)

  const location = await testing.answer(browser, path)
  expect(location.origin + location.pathname).toBe(`${server.url}/o/slicer/`)
  const answer = new URLSearchParams(location.hash.slice(1))
  expect(answer.get('token_type')).toBe('Bearer')
  expect(await testing.use(answer.get('access_token') ?? '')).toBe(200)
  expect((await browser.get('/o/slicer/')).html).toContain('<script src="/o/slicer.js">')
  expect((await browser.get('/o/slicer.js')).html).toContain('login_token')

  const code = await browser.get('/o/authorize/?response_type=code&client_id=OrcaSlicer')
  expect(code.headers.get('location')).toContain('error=unsupported_response_type')
  const elsewhere = await browser.get(`${path}&redirect_uri=https%3A%2F%2Fevil.example%2F`)
  expect(elsewhere).toMatchObject({ status: 400 })
})
