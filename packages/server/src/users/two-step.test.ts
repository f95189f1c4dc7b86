import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer, type TestUser } from '../testing.js'
import { codeAt } from './one-time-code.js'
import { listSecurityEvents } from './security-events-store.js'
import { findUser } from './store.js'
import { type Page, sendForm, signedInBrowser, testBrowser } from './testing.js'

let server: TestServer
let user: TestUser

beforeEach(async () => {
  server = await startTestServer()
  user = server.other
})
afterEach(() => server.close())

const STEP_MS = 30_000

async function secret(): Promise<string> {
  const row = await findUser(server.database.db, user.id)
  if (row?.totp_secret_encrypted == null) throw new Error('there is no secret')
  return server.secrets.decrypt(row.totp_secret_encrypted)
}

const codeNow = async (): Promise<string> => codeAt(await secret(), server.clock.now())

const eventTypes = async (): Promise<string[]> =>
  (await listSecurityEvents(server.database.db, user.id, { limit: 100 })).map(({ type }) => type)

/** Turns two steps on as a user does; the recovery codes that were shown. */
async function turnOn(): Promise<{ codes: string[]; browser: Awaited<ReturnType<typeof signedInBrowser>> }> {
  const browser = await signedInBrowser(server.url, user)
  const enrol = await sendForm(
    browser,
    '/account/two_step/',
    { old_password: user.password },
    '/account/two_step/begin/',
  )
  expect(enrol.status).toBe(200)
  expect(enrol.html).toContain('src="data:image/svg+xml;base64,')
  const done = await browser.post('/account/two_step/confirm/', { ...enrol.hidden, code: await codeNow() })
  expect(done.status).toBe(200)
  const codes = [...done.html.matchAll(/<li><code>([0-9a-f-]+)<\/code>/g)].map(([, code = '']) => code)
  expect(new Set(codes).size).toBe(10)
  server.clock.advance(STEP_MS)
  return { codes, browser }
}

async function passwordStep(next = ''): Promise<{ browser: ReturnType<typeof testBrowser>; page: Page }> {
  const browser = testBrowser(server.url)
  const form = await browser.get(`/login/?next=${encodeURIComponent(next)}`)
  const page = await browser.post('/login/', { ...form.hidden, email: user.email, password: user.password })
  return { browser, page }
}

const hasSession = ({ cookies }: Page): boolean => cookies.some((line) => line.startsWith('printwarden_session='))

test('after the password a code is asked for, and only that opens a session; a code counts once', async () => {
  await turnOn()
  const { browser, page } = await passwordStep('/printers/7/')
  expect(page).toMatchObject({ status: 200, hidden: { next: '/printers/7/' } })
  expect(hasSession(page)).toBe(false)
  expect((await browser.get('/api/v1/users/me/')).status).toBe(401)

  const wrong = await browser.post('/login/code/', { ...page.hidden, code: '000000' })
  expect(wrong.status).toBe(401)
  expect(hasSession(wrong)).toBe(false)

  const code = await codeNow()
  const right = await browser.post('/login/code/', { ...wrong.hidden, code })
  expect(right.status).toBe(303)
  expect(right.headers.get('location')).toBe('/printers/7/')
  expect((await browser.get('/api/v1/users/me/')).status).toBe(200)

  const again = await passwordStep()
  const replay = await again.browser.post('/login/code/', { ...again.page.hidden, code })
  expect(replay.status).toBe(401)
  expect(hasSession(replay)).toBe(false)
  expect(await eventTypes()).toEqual(expect.arrayContaining(['two_step_enabled', 'second_step_failed', 'signed_in']))
  expect(await secret()).toMatch(/^[0-9a-f]{40}$/)
  const row = await findUser(server.database.db, user.id)
  expect(row?.totp_secret_encrypted).not.toContain(await secret())
})

test('the codes just before and after count, no others; of twenty at once one is let in', async () => {
  await turnOn()
  server.clock.advance(10 * STEP_MS)
  const key = await secret()
  const { browser, page } = await passwordStep()
  const tryCode = async (code: string): Promise<number> =>
    (await browser.post('/login/code/', { ...page.hidden, code })).status
  expect(await tryCode(codeAt(key, server.clock.now() - 2 * STEP_MS))).toBe(401)
  expect(await tryCode(codeAt(key, server.clock.now() + 2 * STEP_MS))).toBe(401)
  expect(await tryCode(codeAt(key, server.clock.now() - STEP_MS))).toBe(303)
  const code = codeAt(key, server.clock.now() + STEP_MS)
  const answers = await Promise.all(Array.from({ length: 20 }, () => tryCode(code)))
  expect(answers.filter((status) => status === 303)).toHaveLength(1)
})

test('of twenty who send one recovery code at once one is let in, and it is gone', async () => {
  const { codes } = await turnOn()
  const [code = ''] = codes
  const { browser, page } = await passwordStep()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => browser.post('/login/code/', { ...page.hidden, code: code.toUpperCase() })),
  )
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
  expect(answers.filter(hasSession)).toHaveLength(1)
  expect(await eventTypes()).toContain('recovery_code_used')
  const rows = await server.database.db.selectFrom('recovery_codes').selectAll().execute()
  expect(rows).toHaveLength(10)
  expect(JSON.stringify(rows)).not.toContain(code.replaceAll('-', ''))
})

test('guessing codes is held up with Retry-After, and the right code must wait too', async () => {
  await turnOn()
  const { browser, page } = await passwordStep()
  for (let guess = 0; guess < 5; guess += 1) {
    const answer = await browser.post('/login/code/', { ...page.hidden, code: `00000${guess}` })
    expect(answer.status).toBe(401)
  }
  const held = await browser.post('/login/code/', { ...page.hidden, code: await codeNow() })
  expect(held.status).toBe(429)
  expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(0)
  server.clock.advance(31_000)
  expect((await browser.post('/login/code/', { ...page.hidden, code: await codeNow() })).status).toBe(303)
})

test('what the password gave is of no use later, to others, or from elsewhere', async () => {
  await turnOn()
  const { browser, page } = await passwordStep()
  const code = await codeNow()
  const foreign = await browser.post('/login/code/', { ...page.hidden, code }, { origin: 'https://evil.example' })
  expect(foreign.status).toBe(403)
  const [, until = '', signature = ''] = page.hidden['step']?.split('.') ?? []
  const step = `${server.owner.id}.${until}.${signature}`
  expect((await browser.post('/login/code/', { ...page.hidden, step, code })).status).toBe(403)
  server.clock.advance(11 * 60_000)
  const late = await browser.post('/login/code/', { ...page.hidden, code: await codeNow() })
  expect(late.status).toBe(403)
  expect([foreign, late].some(hasSession)).toBe(false)
})

test("the command line's sign-in asks for the code too", async () => {
  const { id } = user
  await turnOn()
  await server.users.changeAccount(id, { is_admin: true })
  const body = { email: user.email, password: user.password }
  const signIn = (more: object) =>
    server.call('POST', '/api/v1/admin/sign_in/', { token: null, body: { ...body, ...more } })
  expect(await signIn({})).toMatchObject({ status: 401, json: { issues: [{ path: 'code' }] } })
  expect((await signIn({ code: '123456' })).status).toBe(401)
  const code = await codeNow()
  expect((await signIn({ code, password: 'wrong' })).status).toBe(401)
  expect(await signIn({ code })).toMatchObject({ status: 200, json: { access_token: expect.any(String) } })
  expect((await signIn({ code })).status).toBe(401)
})

test('turning it on and off asks for the password; off needs a code as well', async () => {
  const { browser, codes } = await turnOn()
  const [first = '', second = ''] = codes
  const path = '/account/two_step/'
  const off = (old_password: string, code: string): Promise<Page> =>
    sendForm(browser, path, { old_password, code }, `${path}remove/`)
  expect((await off('wrong', first)).status).toBe(401)
  expect((await off(user.password, '000000')).status).toBe(400)
  const renewed = await sendForm(browser, path, { old_password: user.password }, `${path}codes/`)
  const [fresh = ''] = [...renewed.html.matchAll(/<li><code>([0-9a-f-]+)/g)].map(([, code = '']) => code)
  expect((await off(user.password, second)).status).toBe(400)
  expect((await off(user.password, fresh)).html).toContain('is off')
  expect((await passwordStep()).page.status).toBe(303)
  expect(await eventTypes()).toEqual(expect.arrayContaining(['two_step_disabled', 'recovery_codes_renewed']))
})

test('an administrator takes the second step away, which ends the sessions', async () => {
  const { browser } = await turnOn()
  const path = `/api/v1/admin/users/${user.id}/remove_two_step/`
  expect((await server.call('POST', path, { token: user.token })).status).toBe(403)
  expect((await server.call('POST', path)).status).toBe(200)
  expect((await browser.get('/api/v1/users/me/')).status).toBe(401)
  expect((await passwordStep()).page.status).toBe(303)
})
