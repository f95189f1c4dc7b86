import { ConformanceTarget } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { REVOKED_SUBJECT } from '../users/revoked.js'
import { VERSION } from '../version.js'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.close())

/** What is told on the bus about credentials while `work` runs. */
async function revokedDuring(work: () => Promise<unknown>): Promise<unknown[]> {
  const heard: unknown[] = []
  const stop = server.bus.subscribe(REVOKED_SUBJECT, (notice) => void heard.push(notice))
  await work()
  stop()
  return heard
}

async function statusOf(token: string): Promise<unknown> {
  const { status, json } = await server.call('GET', '/api/v1/users/me/', { token })
  return status === 200 ? 200 : json
}

test.each([
  ['GET', '/api/v1/admin/users/'],
  ['POST', '/api/v1/admin/users/'],
  ['PATCH', '/api/v1/admin/users/1/'],
  ['POST', '/api/v1/admin/tokens/'],
  ['POST', '/api/v1/admin/tokens/revoke/'],
  ['POST', '/api/v1/admin/clients/'],
  ['POST', '/api/v1/admin/printers/'],
  ['POST', '/api/v1/admin/seed/'],
])('%s %s is for administrators with the scope write', async (method, path) => {
  const body = method === 'GET' ? undefined : {}
  const readOnly = await server.addToken(server.owner.id, 'read')
  expect(await server.call(method, path, { token: null, body })).toMatchObject({ status: 401 })
  expect(await server.call(method, path, { token: server.other.token, body })).toMatchObject({ status: 403 })
  expect(await server.call(method, path, { token: readOnly, body })).toMatchObject({ status: 403 })
})

test('the version needs a reader, no administrator', async () => {
  expect(await server.call('GET', '/api/v1/version/', { token: null })).toMatchObject({ status: 401 })
  const { token } = server.other
  expect(await server.call('GET', '/api/v1/version/', { token })).toMatchObject({
    status: 200,
    json: { version: VERSION },
  })
})

test('an account: added, listed, and its address taken', async () => {
  const body = { email: 'New@Farm.example', password: 'long enough' }
  const added = await server.call('POST', '/api/v1/admin/users/', { body })
  expect(added).toMatchObject({
    status: 201,
    json: { email: 'new@farm.example', is_admin: false, disabled_at: null, printer_count: 0 },
  })
  expect(await server.call('POST', '/api/v1/admin/users/', { body })).toMatchObject({
    status: 409,
    json: { code: 'conflict' },
  })
  await server.call('POST', '/api/v1/admin/printers/', { body: { email: body.email, name: 'Left' } })
  const list = await server.call('GET', '/api/v1/admin/users/')
  expect(list.json).toContainEqual(expect.objectContaining({ email: 'new@farm.example', printer_count: 1 }))
  expect(list.text).not.toContain('argon2')
})

test.each([
  { name: 'no address', body: { email: 'me', password: 'long enough' }, path: 'email' },
  { name: 'a short password', body: { email: 'a@farm.example', password: 'short' }, path: 'password' },
])('an account with $name is refused', async ({ body, path }) => {
  const answer = await server.call('POST', '/api/v1/admin/users/', { body })
  expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_request', issues: [{ path }] } })
})

test('disabling an account stops its sessions and tokens at once, and enabling lets the tokens work again', async () => {
  const user = await server.addUser('leaver')
  expect(await statusOf(user.token)).toBe(200)
  const path = `/api/v1/admin/users/${user.id}/`
  const heard = await revokedDuring(() => server.call('PATCH', path, { body: { disabled: true } }))
  expect(heard).toEqual([{ type: 'user', user_id: user.id }])
  expect(await statusOf(user.token)).toMatchObject({ status: 401, code: 'token_revoked' })
  const enabled = await server.call('PATCH', path, { body: { disabled: false } })
  expect(enabled).toMatchObject({ status: 200, json: { disabled_at: null } })
  expect(await statusOf(await server.addToken(user.id))).toBe(200)
})

test('a new password ends the sessions', async () => {
  const user = await server.addUser('forgetful')
  const session = await server.users.beginSession(user.id, undefined)
  const me = (): Promise<Response> =>
    fetch(`${server.url}/api/v1/users/me/`, { headers: { cookie: `printwarden_session=${session}` } })
  expect((await me()).status).toBe(200)
  const body = { password: 'another password' }
  expect(await server.call('PATCH', `/api/v1/admin/users/${user.id}/`, { body })).toMatchObject({ status: 200 })
  expect((await me()).status).toBe(401)
  const check = (password: string) => server.users.checkPassword(user.email, password, '192.0.2.1')
  expect((await check(user.password)).type).toBe('wrong')
  expect((await check('another password')).type).toBe('right')
})

test('the last administrator can neither go nor be disabled; one of two can', async () => {
  const path = `/api/v1/admin/users/${server.owner.id}/`
  for (const body of [{ is_admin: false }, { disabled: true }]) {
    expect(await server.call('PATCH', path, { body })).toMatchObject({ status: 409, json: { code: 'conflict' } })
  }
  expect(await statusOf(server.owner.token)).toBe(200)

  const second = await server.addUser('second', true)
  const demoted = await server.call('PATCH', `/api/v1/admin/users/${second.id}/`, { body: { is_admin: false } })
  expect(demoted).toMatchObject({ status: 200, json: { is_admin: false } })
  expect(await server.call('GET', '/api/v1/admin/users/', { token: second.token })).toMatchObject({ status: 403 })
})

test('an account that is not there is not found', async () => {
  expect(await server.call('PATCH', '/api/v1/admin/users/4711/', { body: {} })).toMatchObject({ status: 404 })
})

test('an administrator signs in with a password and gets a token for a quarter of an hour', async () => {
  const body = { email: server.owner.email, password: server.owner.password }
  const signedIn = await server.call('POST', '/api/v1/admin/sign_in/', { token: null, body })
  expect(signedIn).toMatchObject({ status: 200, json: { expires_in: 900 } })
  const { access_token: token } = signedIn.json as { access_token: string }
  expect(await server.call('GET', '/api/v1/admin/users/', { token })).toMatchObject({ status: 200 })
  server.clock.advance(15 * 60_000 + 1)
  expect(await statusOf(token)).toMatchObject({ status: 401, code: 'token_expired' })
})

test.each([
  { name: 'a wrong password', who: 'owner', password: 'wrong', status: 401, code: 'unauthorized' },
  { name: 'an unknown address', who: 'nobody', password: 'wrong', status: 401, code: 'unauthorized' },
  { name: 'no administrator', who: 'other', password: 'password of other', status: 403, code: 'insufficient_scope' },
])('no sign-in for $name', async ({ who, password, status, code }) => {
  const body = { email: `${who}@example.test`, password }
  const answer = await server.call('POST', '/api/v1/admin/sign_in/', { token: null, body })
  expect(answer).toMatchObject({ status, json: { code } })
})

test('a token for an account: its scopes count, and revoking it ends it at once', async () => {
  const body = { email: server.other.email, scope: 'read', name: 'a script' }
  const issued = await server.call('POST', '/api/v1/admin/tokens/', { body })
  expect(issued).toMatchObject({ status: 201, json: { token_type: 'Bearer', scope: 'read', expires_in: 3600 } })
  const { access_token: token } = issued.json as { access_token: string }
  expect(await statusOf(token)).toBe(200)
  expect(await server.call('PATCH', '/api/v1/users/me/', { token, body: {} })).toMatchObject({ status: 403 })

  const revoke = () => server.call('POST', '/api/v1/admin/tokens/revoke/', { body: { token } })
  const heard = await revokedDuring(async () => expect(await revoke()).toMatchObject({ status: 200, text: '' }))
  expect(heard).toEqual([{ type: 'token', token_id: expect.any(Number) }])
  expect(await statusOf(token)).toMatchObject({ status: 401, code: 'token_revoked' })
  expect(await revokedDuring(revoke)).toEqual([])
})

test.each([
  { name: 'no scope', body: { email: 'other@example.test', scope: '' }, path: 'scope' },
  { name: 'an unknown scope', body: { email: 'other@example.test', scope: 'read admin' }, path: 'scope' },
  { name: 'an unknown account', body: { email: 'nobody@example.test', scope: 'read' }, path: 'email' },
])('a token with $name is refused', async ({ body, path }) => {
  const answer = await server.call('POST', '/api/v1/admin/tokens/', { body })
  expect(answer).toMatchObject({ status: 400, json: { issues: [{ path }] } })
})

test('a client: a secret for a confidential one, none for a public one, kept as a hash', async () => {
  const add = (type: string, redirect_uris: string[]) =>
    server.call('POST', '/api/v1/admin/clients/', { body: { name: 'App', type, redirect_uris } })
  const confidential = await add('confidential', ['https://app.example/cb'])
  expect(confidential).toMatchObject({ status: 201, json: { client_secret: expect.stringMatching(/^[0-9a-f]{64}$/) } })
  expect(await add('public', ['com.example.app:/cb'])).toMatchObject({ status: 201, json: { client_secret: null } })
  expect(await add('confidential', ['https://a.example/', 'com.example.app:/cb'])).toMatchObject({
    status: 400,
    json: { issues: [{ path: 'redirect_uris.1' }] },
  })
  const { client_secret } = confidential.json as { client_secret: string }
  const rows = await server.database.db.selectFrom('oauth_clients').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(client_secret)
})

test("a printer for an account works with its agent's token", async () => {
  const body = { email: server.other.email, name: 'Left' }
  const added = await server.call('POST', '/api/v1/admin/printers/', { body })
  expect(added).toMatchObject({
    status: 201,
    json: { name: 'Left', auth_token: expect.stringMatching(/^[0-9a-f]{40}$/) },
  })
  const { id, auth_token: token } = added.json as { id: number; auth_token: string }
  expect(await server.call('GET', '/api/v1/agent/printer/', { token })).toMatchObject({ status: 200 })
  expect(await server.call('GET', `/api/v1/printers/${id}/`, { token: server.other.token })).toMatchObject({
    status: 200,
  })
  expect(await server.call('GET', `/api/v1/printers/${id}/`)).toMatchObject({ status: 404 })
})

test('seed makes what its answer says, each time anew', async () => {
  const seed = async (): Promise<ConformanceTarget> =>
    ConformanceTarget.parse((await server.call('POST', '/api/v1/admin/seed/', { body: {} })).json)
  const [first, target] = [await seed(), await seed()]
  expect(target.owner.email).not.toBe(first.owner.email)
  expect(target).toMatchObject({ base_url: server.url, agent_ws_url: `${server.wsUrl}/ws/agent/` })

  const { read_write, read, write, other, expired, revoked } = target.tokens
  expect(await statusOf(read_write)).toBe(200)
  expect(await statusOf(read)).toBe(200)
  expect(await statusOf(other)).toBe(200)
  expect(await statusOf(first.tokens.read_write)).toBe(200)
  expect(await statusOf(write)).toMatchObject({ status: 403, code: 'insufficient_scope' })
  expect(await statusOf(expired)).toMatchObject({ status: 401, code: 'token_expired' })
  expect(await statusOf(revoked)).toMatchObject({ status: 401, code: 'token_revoked' })

  expect(target.disposable_printers).toHaveLength(20)
  const list = await server.call('GET', '/api/v1/printers/', { token: read })
  const ids = [target.printer, ...target.disposable_printers].map(({ id }) => id)
  expect((list.json as { id: number }[]).map(({ id }) => id).sort((a, b) => a - b)).toEqual(ids)
  const foreign = await server.call('GET', `/api/v1/printers/${target.other_printer.id}/`, { token: read })
  expect(foreign.status).toBe(404)
  for (const { auth_token: token } of [target.printer, target.other_printer, ...target.disposable_printers]) {
    expect((await server.call('GET', '/api/v1/agent/printer/', { token })).status).toBe(200)
  }
  const check = await server.users.checkPassword(target.owner.email, target.owner.password, '192.0.2.1')
  expect(check.type).toBe('right')
})
