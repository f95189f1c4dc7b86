import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSmtpMailer } from '../adapters/mail-smtp.js'
import { startTestServer, type TestServer } from '../testing.js'
import { listSecurityEvents } from './security-events-store.js'
import { findUser } from './store.js'
import { type Page, sendForm, signedInBrowser, startTestMailServer, testBrowser } from './testing.js'

const PUBLIC_URL = 'https://farm.example'

let mail: Awaited<ReturnType<typeof startTestMailServer>>
let server: TestServer

beforeEach(async () => {
  mail = await startTestMailServer()
  const mailer = openSmtpMailer(`smtp://127.0.0.1:${mail.port}`)
  const config = { trustedProxies: [], tls: undefined, smoothing: 'default', accessTokenSeconds: 3600 } as const
  const caps = { maxSnapshotBytes: 1e6, maxGCodeBytes: 1e6 }
  server = await startTestServer({ mailer, config: { ...config, ...caps, publicUrl: PUBLIC_URL } })
})

afterEach(async () => {
  await server.close()
  await server.mailer?.close()
  await mail.close()
})

/** The path of the one link in the next letter. */
async function nextLink(): Promise<{ to: readonly string[]; path: string; text: string }> {
  const { to, links, text } = await mail.next()
  expect(links).toHaveLength(1)
  const url = new URL(links[0] ?? '')
  expect(url.origin).toBe(PUBLIC_URL)
  return { to, path: url.pathname + url.search, text }
}

const askForReset = (email: string): Promise<Page> => sendForm(testBrowser(server.url), '/password_reset/', { email })

const NEW = { password: 'a new password', password_again: 'a new password' }

const checks = async (email: string, password: string): Promise<string> =>
  (await server.users.checkPassword(email, password, '192.0.2.9')).type

test('a password is reset by mail: once, for an hour, and every session ends', async () => {
  const { email, id, password } = server.other
  const signedIn = await signedInBrowser(server.url, server.other)
  // The letter's link leads to the canonical origin, which is not the one that the request named.
  expect((await askForReset(email.toUpperCase())).status).toBe(200)
  const { to, path } = await nextLink()
  expect(to).toEqual([email])

  const browser = testBrowser(server.url)
  expect((await browser.get(path)).status).toBe(200)
  expect((await browser.get(path)).status).toBe(200)
  const short = await sendForm(browser, path, { password: 'short', password_again: 'short' }, '/password_reset/new/')
  expect(short.status).toBe(400)
  const done = await sendForm(browser, path, NEW, '/password_reset/new/')
  expect(done.status).toBe(200)
  expect(done.cookies.join()).not.toContain('printwarden_session')
  expect(await checks(email, NEW.password)).toBe('right')
  expect(await checks(email, password)).toBe('wrong')
  expect((await signedIn.get('/api/v1/users/me/')).status).toBe(401)

  expect((await browser.get(path)).status).toBe(404)
  const again = await browser.post('/password_reset/new/', { ...short.hidden, ...NEW })
  expect(again.status).toBe(404)
  await server.users.settled()
  const types = (await listSecurityEvents(server.database.db, id, { limit: 9 })).map(({ type }) => type)
  expect(types).toEqual(expect.arrayContaining(['password_reset', 'password_reset_requested']))
  expect((await mail.next()).text).toContain('A new password was set')
})

test('of twenty who use one link at once, one sets the password', async () => {
  await askForReset(server.other.email)
  const { path } = await nextLink()
  const browser = testBrowser(server.url)
  const { hidden } = await browser.get(path)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const password = `password number ${index}`
      return browser.post('/password_reset/new/', { ...hidden, password, password_again: password })
    }),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const winner = answers.findIndex(({ status }) => status === 200)
  expect(await checks(server.other.email, `password number ${winner}`)).toBe('right')
})

test('a link ends after an hour, with a newer one, and with the account', async () => {
  const { email, id } = server.other
  const browser = testBrowser(server.url)
  await askForReset(email)
  const first = await nextLink()
  await askForReset(email)
  const second = await nextLink()
  expect((await browser.get(first.path)).status).toBe(404)
  expect((await browser.get(second.path)).status).toBe(200)
  server.clock.advance(3_600_001)
  expect((await browser.get(second.path)).status).toBe(404)
  await askForReset(email)
  const third = await nextLink()
  await server.users.changeAccount(id, { disabled: true })
  const { hidden } = await browser.get('/login/')
  const token = third.path.split('token=')[1] ?? ''
  expect((await browser.post('/password_reset/new/', { ...hidden, token, ...NEW })).status).toBe(404)
  const rows = await server.database.db.selectFrom('account_links').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(token)
})

test('an address that nobody has, and a disabled one, get the same answer and no letter', async () => {
  await server.users.changeAccount(server.other.id, { disabled: true })
  const same = ({ html, status }: Page): string => `${status} ${html}`
  const unknown = await askForReset('nobody@farm.example')
  const disabled = await askForReset(server.other.email)
  const known = await askForReset(server.owner.email)
  expect(same(unknown)).toBe(same(known))
  expect(same(disabled)).toBe(same(known))
  expect((await mail.next()).to).toEqual([server.owner.email])
  await server.users.settled()
  expect(mail.letters).toEqual([])
})

test('requests are held up with Retry-After, alike for known and unknown addresses', async () => {
  for (const email of [server.other.email, 'nobody@farm.example']) {
    const statuses: number[] = []
    for (let ask = 0; ask < 5; ask += 1) statuses.push((await askForReset(email)).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
  }
  const held = await askForReset(server.other.email)
  expect(Number(held.headers.get('retry-after'))).toBeGreaterThan(0)
})

test.each([
  { name: 'without the anti-forgery field', change: { form_token: '' }, headers: {} },
  { name: 'from a foreign page', change: {}, headers: { origin: 'https://evil.example' } },
])('a reset form $name changes nothing', async ({ change, headers }) => {
  await askForReset(server.other.email)
  const { path } = await nextLink()
  const browser = testBrowser(server.url)
  const { hidden } = await browser.get(path)
  const answer = await browser.post('/password_reset/new/', { ...hidden, ...NEW, ...change }, headers)
  expect(answer.status).toBe(403)
  expect(await checks(server.other.email, server.other.password)).toBe('right')
})

test('an address is changed by a link to the new one, and the old one is told', async () => {
  const { email, password, id } = server.other
  const browser = await signedInBrowser(server.url, server.other)
  const ask = (fields: Record<string, string>): Promise<Page> => sendForm(browser, '/account/email/', fields)
  expect((await ask({ email: 'new@farm.example', old_password: 'wrong' })).status).toBe(401)
  expect((await ask({ email: 'no address', old_password: password })).status).toBe(400)
  expect((await ask({ email: 'New@farm.example', old_password: password })).status).toBe(200)
  const { to, path } = await nextLink()
  expect(to).toEqual(['new@farm.example'])
  expect((await findUser(server.database.db, id))?.email).toBe(email)

  const other = testBrowser(server.url)
  expect((await sendForm(other, path, {}, '/email_change/')).status).toBe(200)
  expect(await findUser(server.database.db, id)).toMatchObject({
    email: 'new@farm.example',
    is_primary_email_verified: 1,
  })
  expect((await mail.next()).to).toEqual([email])
  expect((await other.get(path)).status).toBe(404)
  expect(JSON.parse((await browser.get('/api/v1/users/me/')).html)).toMatchObject({ email: 'new@farm.example' })
})

test("another's address is not told to be taken, and cannot be had", async () => {
  const browser = await signedInBrowser(server.url, server.other)
  const answer = await sendForm(browser, '/account/email/', {
    email: server.owner.email,
    old_password: server.other.password,
  })
  expect(answer.status).toBe(200)
  expect(answer.html).toContain('Open the link that was mailed')
  await server.users.settled()
  expect(mail.letters).toEqual([])
})

test('an invitation makes one account, which is signed in; of ten at once one is made', async () => {
  const made = await server.call('POST', '/api/v1/admin/invitations/', { body: { email: 'guest@farm.example' } })
  expect(made).toMatchObject({ status: 201, json: { email: 'guest@farm.example', is_admin: false, mailed: true } })
  expect((await server.call('GET', '/api/v1/admin/invitations/')).json).toHaveLength(1)
  const { to, path } = await nextLink()
  expect(to).toEqual(['guest@farm.example'])
  const browser = testBrowser(server.url)
  const { hidden } = await browser.get(path)
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      testBrowserLike(browser).post('/invitation/', { ...hidden, ...NEW, name: 'A guest', email: 'else@farm.example' }),
    ),
  )
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
  expect((await browser.get(path)).status).toBe(404)
  expect((await server.call('GET', '/api/v1/admin/invitations/')).json).toEqual([])
  expect(await checks('guest@farm.example', NEW.password)).toBe('right')
  expect(await checks('else@farm.example', NEW.password)).toBe('wrong')
})

/** Another browser with the same cookies. */
function testBrowserLike(browser: ReturnType<typeof testBrowser>): ReturnType<typeof testBrowser> {
  const other = testBrowser(server.url)
  for (const [name, value] of browser.jar) other.jar.set(name, value)
  return other
}

test('invitations are made by administrators alone, taken back, and over after a week', async () => {
  const path = '/api/v1/admin/invitations/'
  expect((await server.call('POST', path, { token: server.other.token, body: {} })).status).toBe(403)
  expect((await server.call('POST', path, { body: { email: server.other.email } })).status).toBe(409)
  const { json } = await server.call('POST', path, { body: {} })
  const { id, url } = json as { id: number; url: string }
  const link = url.slice(PUBLIC_URL.length)
  const browser = testBrowser(server.url)
  expect((await browser.get(link)).status).toBe(200)
  expect((await server.call('DELETE', `${path}${id}/`)).status).toBe(200)
  expect((await server.call('DELETE', `${path}${id}/`)).status).toBe(404)
  expect((await browser.get(link)).status).toBe(404)
  const next = (await server.call('POST', path, { body: {} })).json as { url: string }
  server.clock.advance(7 * 24 * 3_600_000 + 1)
  expect((await browser.get(next.url.slice(PUBLIC_URL.length))).status).toBe(404)

  const page = await sendForm(await signedInBrowser(server.url, server.owner), '/account/invitations/', {})
  expect(page.status).toBe(201)
  expect(page.html).toContain(`${PUBLIC_URL}/invitation/?token=`)
  const refused = await (await signedInBrowser(server.url, server.other)).get('/account/invitations/')
  expect(refused.status).toBe(403)
})

test("an administrator's link sets a password without mail", async () => {
  const { id, email } = server.other
  const path = `/api/v1/admin/users/${id}/password_reset/`
  expect((await server.call('POST', path, { token: server.other.token })).status).toBe(403)
  expect((await server.call('POST', '/api/v1/admin/users/99999/password_reset/')).status).toBe(404)
  const { status, json } = await server.call('POST', path)
  expect(status).toBe(201)
  const link = (json as { url: string }).url.slice(PUBLIC_URL.length)
  const done = await sendForm(testBrowser(server.url), link, NEW, '/password_reset/new/')
  expect(done.status).toBe(200)
  expect(await checks(email, NEW.password)).toBe('right')
})
