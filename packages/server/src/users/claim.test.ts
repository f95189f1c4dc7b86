import { afterEach, beforeEach, expect, test } from 'vitest'
import { memoryBus } from '../adapters/bus-memory.js'
import type { Bus } from '../ports.js'
import { startTestServer, type TestServer } from '../testing.js'
import { userFlow } from './flow.js'
import { readSetting, updateUser } from './store.js'
import { testBrowser } from './testing.js'

let server: TestServer

/** A server whose accounts are no administrators, as if nobody had claimed it. */
beforeEach(async () => {
  server = await startTestServer()
  await updateUser(server.database.db, server.owner.id, { is_admin: 0 })
})

afterEach(() => server.close())

const account = { email: 'me@farm.example', password: 'long enough', password_again: 'long enough' }

async function claimToken(): Promise<string> {
  const token = await server.users.claimToken()
  if (token === undefined) throw new Error('there is an administrator')
  return token
}

test('the link makes the first administrator, once, and signs in', async () => {
  const token = await claimToken()
  expect(await readSetting(server.database.db, 'claim_token_hash')).not.toContain(token)
  const browser = testBrowser(server.url)
  const form = await browser.get(`/claim/?token=${token}`)
  expect(form).toMatchObject({ status: 200, hidden: { token } })

  const answer = await browser.post('/claim/', { ...form.hidden, ...account })
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toBe('/')
  expect(JSON.parse((await browser.get('/api/v1/users/me/')).html)).toMatchObject({
    email: account.email,
    is_admin: true,
  })
  expect(server.users.publicUrl()).toBe(server.url)
  expect(await readSetting(server.database.db, 'public_url')).toBe(server.url)

  expect((await browser.get(`/claim/?token=${token}`)).status).toBe(410)
  expect((await browser.post('/claim/', { ...form.hidden, ...account, email: 'two@farm.example' })).status).toBe(410)
  expect(await server.users.claimToken()).toBeUndefined()
})

test('of two who use the link at the same time, one becomes the administrator', async () => {
  const token = await claimToken()
  const claims = await Promise.all(
    ['a@farm.example', 'b@farm.example', 'c@farm.example'].map((email) =>
      server.users.claim(token, { email, password: account.password }, server.url),
    ),
  )
  expect(claims.map(({ type }) => type).sort()).toEqual(['claimed', 'claimed', 'done'])
})

test('a newer link ends the older one', async () => {
  const old = await claimToken()
  const token = await claimToken()
  const browser = testBrowser(server.url)
  expect((await browser.get(`/claim/?token=${old}`)).status).toBe(404)
  expect((await browser.get('/claim/')).status).toBe(404)
  expect((await browser.get(`/claim/?token=${token}`)).status).toBe(200)
})

test.each([
  { name: 'passwords that differ', change: { password_again: 'something else' }, status: 400 },
  { name: 'a short password', change: { password: 'short', password_again: 'short' }, status: 400 },
  { name: 'no address', change: { email: 'me' }, status: 400 },
  { name: 'the address of another account', change: { email: 'other@example.test' }, status: 409 },
  { name: 'a forged form', change: { form_token: 'forged' }, status: 403 },
  { name: 'a wrong token', change: { token: 'wrong' }, status: 404 },
])('$name: nothing happens, and the link still works', async ({ change, status }) => {
  const token = await claimToken()
  const browser = testBrowser(server.url)
  const { hidden } = await browser.get(`/claim/?token=${token}`)
  expect((await browser.post('/claim/', { ...hidden, ...account, ...change })).status).toBe(status)
  expect((await browser.post('/claim/', { ...hidden, ...account })).status).toBe(303)
})

test('the administrator of the configuration is made once, and then left alone', async () => {
  const admin = { email: 'Admin@Farm.example', password: 'from the configuration' }
  await server.users.ensureAdministrator(admin)
  expect(await server.users.claimToken()).toBeUndefined()
  await server.users.ensureAdministrator({ ...admin, password: 'changed since' })
  await server.users.ensureAdministrator({ email: 'second@farm.example', password: 'another one' })
  const check = (email: string, password: string) => server.users.checkPassword(email, password, '192.0.2.1')
  expect((await check('admin@farm.example', admin.password)).type).toBe('right')
  expect((await check('admin@farm.example', 'changed since')).type).toBe('wrong')
  expect((await check('second@farm.example', 'another one')).type).toBe('wrong')
})

test('the configuration makes an administrator of an account that is there', async () => {
  const { email, id } = server.other
  await server.users.ensureAdministrator({ email, password: 'from the configuration' })
  const check = await server.users.checkPassword(email, 'from the configuration', '192.0.2.1')
  expect(check).toMatchObject({ type: 'right', user: { id, is_admin: 1 } })
})

test('the origin: the listening URL stands in until the server was claimed', async () => {
  expect(server.users.publicUrl()).toBeUndefined()
  await server.users.listeningAt('http://127.0.0.1:3334')
  expect(server.users.publicUrl()).toBe('http://127.0.0.1:3334')
  await server.users.claim(await claimToken(), account, 'https://farm.example')
  expect(server.users.publicUrl()).toBe('https://farm.example')
})

/** The accounts of another process on the same database. It can send mail. */
const anotherNode = (bus: Bus) =>
  userFlow({ ...server, bus, publicUrl: undefined, mailer: { async send() {}, async close() {} } })

test('a node that runs while the server is claimed at another one knows the origin from then on, and can mail', async () => {
  const there = await anotherNode(server.bus)
  expect(there.accounts.canMail()).toBe(false)
  await there.settled()
  await server.users.claim(await claimToken(), account, 'https://farm.example')
  await expect.poll(() => there.accounts.canMail(), { timeout: 5_000 }).toBe(true)
  expect(there.publicUrl()).toBe('https://farm.example')
  await there.settled()
})

test('a node that was not told of the claim looks for the origin when it is asked for it', async () => {
  const there = await anotherNode(memoryBus(server.log))
  await server.users.claim(await claimToken(), account, 'https://farm.example')
  await expect.poll(() => there.publicUrl(), { timeout: 5_000 }).toBe('https://farm.example')
  await there.settled()
})

test('the origin of the configuration wins at every node', async () => {
  const there = await userFlow({ ...server, mailer: undefined, publicUrl: 'https://set.example' })
  await server.users.claim(await claimToken(), account, 'https://farm.example')
  await expect.poll(() => server.users.publicUrl()).toBe('https://farm.example')
  await there.settled()
  expect(there.publicUrl()).toBe('https://set.example')
})
