import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { REVOKED_SUBJECT } from './revoked.js'
import { EVENT_RETENTION_MS, listSecurityEvents, noteSecurityEvent } from './security-events-store.js'
import { sendForm, signedInBrowser, type TestBrowser, testBrowser } from './testing.js'

let server: TestServer

beforeEach(async () => {
  server = await startTestServer()
})
afterEach(() => server.close())

const DAY_MS = 24 * 3_600_000

const isIn = async (browser: TestBrowser): Promise<boolean> => (await browser.get('/api/v1/users/me/')).status === 200

interface Shown {
  readonly id: number
  readonly is_current: boolean
}

const sessionsOf = async (browser: TestBrowser): Promise<Shown[]> =>
  JSON.parse((await browser.get('/api/v1/users/me/sessions/')).html) as Shown[]

const eventTypes = async (userId: number): Promise<string[]> =>
  (await listSecurityEvents(server.database.db, userId, { limit: 100 })).map(({ type }) => type)

test('a user sees the sessions and ends one, whose sockets close; never those of others', async () => {
  const [one, two] = [await signedInBrowser(server.url, server.other), await signedInBrowser(server.url, server.other)]
  const foreign = await signedInBrowser(server.url, server.owner)
  const shown = await sessionsOf(one)
  expect(shown).toHaveLength(2)
  const second = shown.find(({ is_current }) => !is_current)
  if (second === undefined) throw new Error('both sessions are this one')
  const told: unknown[] = []
  server.bus.subscribe(REVOKED_SUBJECT, (notice) => told.push(notice))

  const stolen = await sendForm(foreign, '/account/sessions/', {}, `/account/sessions/${second.id}/end/`)
  expect(stolen.status).toBe(404)
  expect(await isIn(two)).toBe(true)
  const ended = await sendForm(one, '/account/sessions/', {}, `/account/sessions/${second.id}/end/`)
  expect(ended.status).toBe(200)
  expect(told).toEqual([{ type: 'session', session_id: second.id }])
  expect(await isIn(two)).toBe(false)
  expect(await isIn(one)).toBe(true)
  expect(await sessionsOf(one)).toHaveLength(1)
  expect(await eventTypes(server.other.id)).toContain('session_ended')
})

test('the same by the API, for a signed-in browser alone', async () => {
  const browser = await signedInBrowser(server.url, server.other)
  const [session] = await sessionsOf(browser)
  const path = `/api/v1/users/me/sessions/${session?.id}/`
  expect((await server.call('DELETE', path, { token: server.other.token })).status).toBe(403)
  expect((await server.call('GET', '/api/v1/users/me/sessions/')).status).toBe(403)
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const remove = (origin: string): Promise<Response> =>
    fetch(`${server.url}${path}`, { method: 'DELETE', headers: { cookie, origin } })
  expect((await remove('https://evil.example')).status).toBe(403)
  expect(await isIn(browser)).toBe(true)
  expect((await remove(server.url)).status).toBe(200)
  expect(await isIn(browser)).toBe(false)
})

test('signing out everywhere ends every session of the user, and no token', async () => {
  const all = [await signedInBrowser(server.url, server.other), await signedInBrowser(server.url, server.other)]
  const foreign = await signedInBrowser(server.url, server.owner)
  const [one] = all
  if (one === undefined) throw new Error('no session')
  const answer = await sendForm(one, '/account/sessions/', {}, '/account/sessions/end_all/')
  expect(answer.headers.get('location')).toBe('/login/')
  for (const browser of all) expect(await isIn(browser)).toBe(false)
  expect(await isIn(foreign)).toBe(true)
  expect((await server.call('GET', '/api/v1/users/me/', { token: server.other.token })).status).toBe(200)
})

test('changing the password asks for the old one and ends the other sessions, not this one', async () => {
  const { email, password } = server.other
  const [one, two] = [await signedInBrowser(server.url, server.other), await signedInBrowser(server.url, server.other)]
  const change = (old_password: string, fresh: string, again = fresh) =>
    sendForm(one, '/account/password/', { old_password, password: fresh, password_again: again })
  expect((await change('wrong', 'a new password')).status).toBe(401)
  expect((await change(password, 'short')).status).toBe(400)
  expect((await change(password, 'a new password', 'another one')).status).toBe(400)
  expect(await isIn(two)).toBe(true)
  expect((await change(password, 'a new password')).status).toBe(200)
  expect([await isIn(one), await isIn(two)]).toEqual([true, false])
  expect((await server.users.checkPassword(email, password, '192.0.2.1')).type).toBe('wrong')
  expect((await server.users.checkPassword(email, 'a new password', '192.0.2.1')).type).toBe('right')
  expect(await eventTypes(server.other.id)).toContain('password_changed')
})

test('guessing the old password in the form is held up as signing in is', async () => {
  const browser = await signedInBrowser(server.url, server.other)
  const statuses: number[] = []
  for (let guess = 0; guess < 6; guess += 1) {
    const fields = { old_password: `guess ${guess}`, password: 'a new password', password_again: 'a new password' }
    statuses.push((await sendForm(browser, '/account/password/', fields)).status)
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
})

test.each(['/account/password/', '/account/email/', '/account/sessions/end_all/', '/account/two_step/begin/'])(
  'a form for %s from elsewhere, or of another session, changes nothing',
  async (action) => {
    const [victim, attacker] = [
      await signedInBrowser(server.url, server.other),
      await signedInBrowser(server.url, server.owner),
    ]
    const { password } = server.other
    const fields = {
      old_password: password,
      password: 'stolen stolen',
      password_again: 'stolen stolen',
      email: 'x@y.example',
    }
    const page = action.replace(/(end_all|begin)\/$/, '')
    const own = await victim.get(page)
    const foreign = await victim.post(action, { ...own.hidden, ...fields }, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    const theirs = await attacker.get(page)
    expect((await victim.post(action, { ...theirs.hidden, ...fields })).status).toBe(403)
    expect((await victim.post(action, fields)).status).toBe(403)
    expect((await testBrowser(server.url).post(action, { ...own.hidden, ...fields })).status).toBe(303)
    expect(await isIn(victim)).toBe(true)
    expect((await server.users.checkPassword(server.other.email, password, '192.0.2.1')).type).toBe('right')
  },
)

test('a planted session cookie is not the one that signing in makes', async () => {
  const planted = await signedInBrowser(server.url, server.owner)
  const browser = testBrowser(server.url)
  const value = planted.jar.get('printwarden_session') ?? ''
  browser.jar.set('printwarden_session', value)
  const { hidden } = await browser.get('/login/')
  const { email, password } = server.other
  await browser.post('/login/', { ...hidden, email, password })
  expect(browser.jar.get('printwarden_session')).not.toBe(value)
  expect(await isIn(planted)).toBe(false)
})

test('a session in use lives on, by one write a day; one that is not used ends after 60 days', async () => {
  const browser = await signedInBrowser(server.url, server.other)
  const ends = async (): Promise<number> =>
    (await server.database.db.selectFrom('sessions').select('expires_at').executeTakeFirstOrThrow()).expires_at
  const first = await ends()
  server.clock.advance(DAY_MS / 2)
  expect(await isIn(browser)).toBe(true)
  expect(await ends()).toBe(first)
  server.clock.advance(DAY_MS)
  expect(await isIn(browser)).toBe(true)
  const moved = await ends()
  expect(moved).toBeGreaterThan(first)
  for (let request = 0; request < 5; request += 1) await isIn(browser)
  expect(await ends()).toBe(moved)
  server.clock.advance(59 * DAY_MS)
  expect(await isIn(browser)).toBe(true)
  server.clock.advance(61 * DAY_MS)
  expect(await isIn(browser)).toBe(false)
})

test('what happened is told newest first, in pages, to its user alone', async () => {
  await signedInBrowser(server.url, server.other)
  await server.users.checkPassword(server.other.email, 'wrong', '192.0.2.7', 'A browser')
  await server.users.settled()
  const path = '/api/v1/users/me/security_events/'
  const { token } = server.other
  const all = await server.call('GET', path, { token })
  expect(all.json).toMatchObject([
    { type: 'sign_in_failed', ip_address: '192.0.2.7', user_agent: 'A browser' },
    { type: 'signed_in' },
  ])
  expect(all.headers.get('x-total-count')).toBe('2')
  const page = await server.call('GET', `${path}?limit=1`, { token })
  const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  const rest = await server.call('GET', next.slice(server.url.length), { token })
  expect(rest.json).toMatchObject([{ type: 'signed_in' }])
  expect(rest.headers.get('link')).toBeNull()
  expect((await server.call('GET', path)).json).toEqual([])
  const shown = await (await signedInBrowser(server.url, server.other)).get('/account/events/')
  expect(shown.html).toContain('wrong password')
  expect(shown.html).toContain('192.0.2.7')
})

test('events are kept for 400 days', async () => {
  const { db } = server.database
  const userId = server.other.id
  const at = server.clock.now()
  await noteSecurityEvent(db, { userId, type: 'token_made', at: at - EVENT_RETENTION_MS - 1, subject: 'old' })
  await noteSecurityEvent(db, { userId, type: 'token_made', at: at - EVENT_RETENTION_MS + 1000, subject: 'kept' })
  await noteSecurityEvent(db, { userId, type: 'token_made', at, subject: 'new' })
  const rows = await listSecurityEvents(db, userId, { limit: 10 })
  expect(rows.map(({ subject }) => subject)).toEqual(['new', 'kept'])
})

test('without mail, an address is changed at once, unless another account has it', async () => {
  const browser = await signedInBrowser(server.url, server.other)
  const change = (email: string) => sendForm(browser, '/account/email/', { email, old_password: server.other.password })
  expect((await change(server.owner.email)).status).toBe(409)
  expect((await change('new@farm.example')).html).toContain('was changed')
  expect(JSON.parse((await browser.get('/api/v1/users/me/')).html)).toMatchObject({ email: 'new@farm.example' })
  expect((await testBrowser(server.url).get('/password_reset/')).html).toContain('sends no mail')
})
