import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { hashPassword } from './passwords-flow.js'
import { REVOKED_SUBJECT } from './revoked.js'
import { type Page, testBrowser } from './testing.js'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.close())

/** Opens the form and sends it, as a person does. */
async function signIn(fields: Record<string, string>, browser = testBrowser(server.url)): Promise<Page> {
  const { hidden } = await browser.get('/login/')
  return browser.post('/login/', { ...hidden, ...fields })
}

const sessionOf = ({ cookies }: Page): string | undefined =>
  cookies.find((line) => line.startsWith('printwarden_session='))

test('signs in by the form, and the session is good for the API', async () => {
  const browser = testBrowser(server.url)
  const { email, password } = server.owner
  const form = await browser.get('/login/?next=/printers/7/')
  expect(form).toMatchObject({ status: 200, hidden: { next: '/printers/7/' } })
  expect(form.headers.get('cache-control')).toBe('no-store')

  const answer = await browser.post('/login/', { ...form.hidden, email, password })
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toBe('/printers/7/')
  const cookie = sessionOf(answer)
  expect(cookie).toMatch(/; HttpOnly/)
  expect(cookie).toMatch(/; SameSite=Lax/)
  expect(cookie).toMatch(/; Path=\//)
  expect(cookie).toMatch(/Max-Age=34560000/)
  expect(cookie).not.toMatch(/Secure/)

  const me = await browser.get('/api/v1/users/me/')
  expect(me.status).toBe(200)
  expect(JSON.parse(me.html)).toMatchObject({ email, is_admin: true })
})

test('the address is taken in any case and with blanks around it', async () => {
  const { email, password } = server.owner
  expect((await signIn({ email: ` ${email.toUpperCase()} `, password })).status).toBe(303)
})

test('a wrong password shows the form again, with the address', async () => {
  const answer = await signIn({ email: 'owner@example.test', password: 'wrong' })
  expect(answer.status).toBe(401)
  expect(sessionOf(answer)).toBeUndefined()
  expect(answer.html).toContain('value="owner@example.test"')
  expect(answer.html).toContain('is wrong')
})

test('an address that nobody has looks the same', async () => {
  const known = await signIn({ email: 'other@example.test', password: 'wrong' })
  const unknown = await signIn({ email: 'nobody@example.test', password: 'wrong' })
  const same = (page: Page): string => page.html.replace(/value="[^"]*"/g, '')
  expect(unknown.status).toBe(known.status)
  expect(same(unknown)).toBe(same(known))
})

test('passwords are kept as argon2id with 19 MiB and two passes, never the same twice', async () => {
  const [one, two] = [await hashPassword('a password'), await hashPassword('a password')]
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(one).not.toBe(two)
})

test.each([
  { name: 'without the anti-forgery field', change: { form_token: '' }, headers: {} },
  { name: 'with a made-up field', change: { form_token: 'x'.repeat(43) }, headers: {} },
  { name: 'from a foreign page', change: {}, headers: { origin: 'https://evil.example' } },
])('a form $name is refused, though the password is right', async ({ change, headers }) => {
  const { email, password } = server.owner
  const browser = testBrowser(server.url)
  const { hidden } = await browser.get('/login/')
  const answer = await browser.post('/login/', { ...hidden, email, password, ...change }, headers)
  expect(answer.status).toBe(403)
  expect(sessionOf(answer)).toBeUndefined()
})

test("another browser's anti-forgery field is refused", async () => {
  const { email, password } = server.owner
  const theirs = await testBrowser(server.url).get('/login/')
  const mine = testBrowser(server.url)
  await mine.get('/login/')
  expect((await mine.post('/login/', { ...theirs.hidden, email, password })).status).toBe(403)
  const without = testBrowser(server.url)
  expect((await without.post('/login/', { ...theirs.hidden, email, password })).status).toBe(403)
})

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/%09/../\\evil.example',
  'javascript:alert(1)',
])('signing in does not lead to %s', async (next) => {
  const { email, password } = server.owner
  const shown = await testBrowser(server.url).get(`/login/?next=${encodeURIComponent(next)}`)
  expect(shown.hidden['next']).toBe('/')
  const answer = await signIn({ email, password, next })
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toBe('/')
})

test('who guesses waits, longer each time, and the right password does not help meanwhile', async () => {
  const { email, password } = await server.addUser('guessed')
  for (let i = 0; i < 5; i += 1) expect((await signIn({ email, password: 'wrong' })).status).toBe(401)
  const first = await signIn({ email, password })
  expect(first.status).toBe(429)
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThan(25)
  const api = await server.call('POST', '/api/v1/admin/sign_in/', { token: null, body: { email, password } })
  expect(api).toMatchObject({ status: 429, json: { code: 'rate_limited' } })

  server.clock.advance(31_000)
  expect((await signIn({ email, password: 'wrong' })).status).toBe(401)
  expect(Number((await signIn({ email, password })).headers.get('retry-after'))).toBeGreaterThan(50)
  server.clock.advance(61_000)
  expect((await signIn({ email, password })).status).toBe(303)
})

test('a disabled account is not let in, and is told only with the right password', async () => {
  const { id, email, password } = await server.addUser('disabled')
  await server.users.changeAccount(id, { disabled: true })
  const right = await signIn({ email, password })
  expect(right.status).toBe(403)
  expect(right.html).toContain('was disabled')
  const wrong = await signIn({ email, password: 'wrong' })
  expect(wrong.status).toBe(401)
  expect(wrong.html).not.toContain('was disabled')
})

test('signing out ends the session and says so on the bus', async () => {
  const browser = testBrowser(server.url)
  await signIn({ email: server.other.email, password: server.other.password }, browser)
  const session = browser.jar.get('printwarden_session') ?? ''
  expect((await browser.get('/api/v1/users/me/')).status).toBe(200)

  const heard: unknown[] = []
  const stop = server.bus.subscribe(REVOKED_SUBJECT, (notice) => void heard.push(notice))
  const answer = await browser.post('/logout/', {})
  stop()
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toBe('/login/')
  expect(browser.jar.has('printwarden_session')).toBe(false)
  expect(heard).toEqual([{ type: 'session', session_id: expect.any(Number) }])

  browser.jar.set('printwarden_session', session)
  expect((await browser.get('/api/v1/users/me/')).status).toBe(401)
})

test('signing in anew ends the session that the browser had', async () => {
  const browser = testBrowser(server.url)
  const { email, password } = server.other
  await signIn({ email, password }, browser)
  const first = browser.jar.get('printwarden_session') ?? ''
  await signIn({ email, password }, browser)
  expect((await browser.get('/api/v1/users/me/')).status).toBe(200)
  browser.jar.set('printwarden_session', first)
  expect((await browser.get('/api/v1/users/me/')).status).toBe(401)
})

test('a foreign page can neither sign a user out nor do so by a link', async () => {
  const browser = testBrowser(server.url)
  await signIn({ email: server.other.email, password: server.other.password }, browser)
  expect((await browser.post('/logout/', {}, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await browser.get('/logout/')).status).toBe(405)
  expect((await browser.get('/api/v1/users/me/')).status).toBe(200)
})

test('a program that signs out gets an empty answer instead of a page', async () => {
  const answer = await testBrowser(server.url).post('/logout/', {}, { accept: 'application/json' })
  expect(answer).toMatchObject({ status: 200, html: '' })
})

test('the stylesheet is there, so that the policy needs no inline style', async () => {
  const style = await testBrowser(server.url).get('/pages.css')
  expect(style.status).toBe(200)
  expect(style.headers.get('content-type')).toMatch(/^text\/css/)
})

test('the profile: what may be written is, the rest is left as it is', async () => {
  const { token, id } = await server.addUser('profile')
  const body = { first_name: 'Ada', notification_enabled: false, is_admin: true, id: 99, email: 'x@example.test' }
  const changed = await server.call('PATCH', '/api/v1/users/me/', { token, body })
  expect(changed).toMatchObject({
    status: 200,
    json: { id, first_name: 'Ada', notification_enabled: false, is_admin: false, email: 'profile@example.test' },
  })
  const wrong = await server.call('PATCH', '/api/v1/users/me/', { token, body: { first_name: 7, last_name: 'B' } })
  expect(wrong).toMatchObject({ status: 400, json: { code: 'invalid_request', issues: [{ path: 'first_name' }] } })
  const after = await server.call('GET', '/api/v1/users/me/', { token })
  expect(after.json).toMatchObject({ first_name: 'Ada', last_name: '', mobile_app_canary: false, is_pro: true })
})
