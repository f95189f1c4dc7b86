import { endpoints } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { SESSION_LIFETIME_MS } from '../users/session-life.js'
import { media } from './media.js'

// Who gets in, and what is served besides the endpoints, on the whole server.

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${server.url}${path}`, { method, headers, redirect: 'manual' })

const codeOf = async (response: Response): Promise<unknown> => {
  const body: unknown = await response.json()
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined
}

const ME = '/api/v1/users/me/'

test('a token counts in either header', async () => {
  const { token } = server.owner
  expect((await get(ME, { authorization: `Bearer ${token}` })).status).toBe(200)
  expect((await get(ME, { 'x-api-key': token })).status).toBe(200)
  expect((await get(ME, { authorization: 'Basic eDp5', 'x-api-key': token })).status).toBe(200)
})

test('a token in the address does not', async () => {
  const response = await get(`${ME}?access_token=${server.owner.token}&token=${server.owner.token}`)
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
})

test('an expired token is told so, and counts until its last moment', async () => {
  const token = await server.addToken(server.owner.id, 'read', server.clock.now() + 60_000)
  expect((await get(ME, { authorization: `Bearer ${token}` })).status).toBe(200)
  server.clock.advance(60_000)
  const response = await get(ME, { authorization: `Bearer ${token}` })
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
  expect(await codeOf(response)).toBe('token_expired')
})

test('a revoked token ends at once, although it was just used', async () => {
  const token = await server.addToken(server.owner.id)
  expect((await get(ME, { authorization: `Bearer ${token}` })).status).toBe(200)
  const revoked = await server.call('POST', '/api/v1/admin/tokens/revoke/', { body: { token } })
  expect(revoked.status).toBe(200)
  const response = await get(ME, { authorization: `Bearer ${token}` })
  expect(response.status).toBe(401)
  expect(await codeOf(response)).toBe('token_revoked')
})

test("a disabled account's tokens end at once", async () => {
  const user = await server.addUser('leaving')
  expect((await get(ME, { authorization: `Bearer ${user.token}` })).status).toBe(200)
  await server.call('PATCH', `/api/v1/admin/users/${user.id}/`, { body: { disabled: true } })
  expect((await get(ME, { authorization: `Bearer ${user.token}` })).status).toBe(401)
})

test("an agent's token opens the agent's endpoints alone", async () => {
  const { auth_token } = await server.addPrinter(server.owner.id)
  for (const scheme of ['Bearer', 'Token']) {
    expect((await get('/api/v1/agent/printer/', { authorization: `${scheme} ${auth_token}` })).status).toBe(200)
  }
  expect((await get(ME, { authorization: `Bearer ${auth_token}` })).status).toBe(401)
  expect((await get('/api/v1/agent/printer/', { authorization: `Bearer ${server.owner.token}` })).status).toBe(401)
})

test('every endpoint refuses who is not let in, at both forms of its path', async () => {
  const closed = Object.values(endpoints).filter(({ access }) => access !== 'anyone')
  const statuses = closed.flatMap(({ method, path }) =>
    [path, path.slice(0, -1)].map(async (form) => (await get(form.replaceAll(/:\w+/g, '1'), {}, method)).status),
  )
  expect(new Set(await Promise.all(statuses))).toEqual(new Set([401]))
})

test('every endpoint asks for its scope before it looks for the thing', async () => {
  const tokens = {
    read: await server.addToken(server.owner.id, 'write'),
    write: await server.addToken(server.owner.id, 'read'),
  }
  const scoped = Object.values(endpoints).flatMap((endpoint) =>
    endpoint.access === 'read' || endpoint.access === 'write' ? [{ ...endpoint, access: endpoint.access }] : [],
  )
  for (const { id, method, path, access } of scoped) {
    const response = await get(
      path.replaceAll(/:\w+/g, '999999'),
      { authorization: `Bearer ${tokens[access]}` },
      method,
    )
    expect({ id, status: response.status }).toEqual({ id, status: 403 })
    expect(await codeOf(response)).toBe('insufficient_scope')
  }
})

test("what is another's and what is missing answer with the same bytes", async () => {
  const { printer } = await server.addPrinter(server.other.id)
  const foreign = await server.call('GET', `/api/v1/printers/${printer.id}/`)
  const missing = await server.call('GET', '/api/v1/printers/999999/')
  const malformed = await server.call('GET', '/api/v1/printers/x/')
  expect(foreign.status).toBe(404)
  expect([foreign.text, malformed.text]).toEqual([missing.text, missing.text])
})

test('both doors lead to one print', async () => {
  const answers = await Promise.all(['/api/v1/prints/1/', '/api/v1/print/1/'].map((path) => server.call('GET', path)))
  expect(answers.map(({ status }) => status)).toEqual([404, 404])
  expect((await server.call('POST', '/api/v1/print/1/')).status).toBe(405)
})

test('a session needs its own origin for whatever changes something', async () => {
  const cookie = await signIn()
  const post = (headers: Record<string, string>) =>
    fetch(`${server.url}/api/v1/live/ticket/`, { method: 'POST', headers: { cookie, ...headers } })
  expect((await get(ME, { cookie, origin: 'https://evil.example' })).status).toBe(200)
  expect((await post({ origin: server.url })).status).toBe(201)
  expect((await post({ origin: 'https://evil.example' })).status).toBe(403)
  expect((await post({ origin: 'null' })).status).toBe(403)
  expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
})

test('a session lasts as long as it is used within sixty days', async () => {
  const cookie = await signIn()
  const day = 24 * 3_600_000
  for (let month = 0; month < 3; month++) {
    expect((await get(ME, { cookie })).status).toBe(200)
    server.clock.advance(59 * day)
  }
  expect((await get(ME, { cookie })).status).toBe(200)
  server.clock.advance(60 * day)
  expect((await get(ME, { cookie })).status).toBe(401)
})

async function signIn(): Promise<string> {
  const session = server.secrets.newToken(32)
  const now = server.clock.now()
  await server.database.db
    .insertInto('sessions')
    .values({
      user_id: server.owner.id,
      token_hash: server.secrets.hash(session),
      created_at: now,
      expires_at: now + SESSION_LIFETIME_MS,
    })
    .execute()
  return `printwarden_session=${session}`
}

test('the probes answer everybody, and name what is not ready', async () => {
  expect((await get('/healthz')).status).toBe(200)
  // The test server has no detector.
  const ready = await get('/readyz')
  expect(ready.status).toBe(503)
  expect(ready.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await ready.json()).toMatchObject({ parts: { database: true, blobs: true, detector: false } })
})

test('the metrics are for this machine and for administrators', async () => {
  await get('/healthz')
  const local = await get('/metrics')
  expect(local.status).toBe(200)
  expect(await local.text()).toContain('route="/healthz"')
  const proxied = { 'x-forwarded-for': '203.0.113.7' }
  expect((await get('/metrics', proxied)).status).toBe(401)
  expect((await get('/metrics', { ...proxied, authorization: `Bearer ${server.other.token}` })).status).toBe(403)
  expect((await get('/metrics', { ...proxied, authorization: `Bearer ${server.owner.token}` })).status).toBe(200)
})

test('the document describes every endpoint, and the page reads without help from elsewhere', async () => {
  const response = await get('/openapi.json')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, { operationId: string }>> }
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  expect(new Set(ids)).toEqual(new Set(Object.values(endpoints).map(({ id }) => id)))

  for (const path of ['/docs', '/docs/']) {
    const page = await get(path)
    expect(page.status).toBe(200)
    const html = await page.text()
    expect(html).toContain('/api/v1/printers/')
    expect(html).not.toMatch(/(src|href)="https?:/)
    expect(html).not.toMatch(/<script(?! src="\/)|<style|style="/)
  }
})

test('a signed address serves a picture, whole and in parts, to any origin', async () => {
  await server.blobs.put('printers/7/pic/1.jpg', new TextEncoder().encode('0123456789'), 'image/jpeg')
  const url = media(server).urls(server.url)('printers/7/pic/1.jpg')
  const whole = await fetch(url)
  expect(whole.status).toBe(200)
  expect(await whole.text()).toBe('0123456789')
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'content-length': '10',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  })
  const part = await fetch(url, { headers: { range: 'bytes=2-4' } })
  expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10'])
  const tag = part.headers.get('etag') ?? ''
  expect(tag).toMatch(/^"[\w-]{20,}"$/)
  const rest = await fetch(url, { headers: { range: 'bytes=8-', 'if-range': tag } })
  expect([rest.status, await rest.text()]).toEqual([206, '89'])
  const another = await fetch(url, { headers: { range: 'bytes=8-', 'if-range': '"another"' } })
  expect([another.status, await another.text()]).toEqual([200, '0123456789'])
  const beyond = await fetch(url, { headers: { range: 'bytes=10-' } })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10'])
  const head = await fetch(url, { method: 'HEAD' })
  expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([200, '', '10'])
})

test('an address that was changed, or is too old, serves nothing', async () => {
  await server.blobs.put('printers/7/pic/2.jpg', new Uint8Array(3), 'image/jpeg')
  const url = media(server).urls(server.url)('printers/7/pic/2.jpg')
  const later = String(Number(new URL(url).searchParams.get('expires')) + 3600)
  const changed = [
    url.replace('2.jpg', '1.jpg'),
    url.replace(/expires=\d+/, `expires=${later}`),
    url.replace(/signature=./, 'signature='),
    url.replace(/\?.*/, ''),
    url.replace('2.jpg', '..%2F..%2Fsecret-key'),
  ]
  for (const one of changed) expect((await fetch(one)).status).toBe(404)
  expect((await fetch(url)).status).toBe(200)
  server.clock.advance(24 * 3_600_000)
  expect((await fetch(url)).status).toBe(404)
})

test('what is no picture is saved, never shown', async () => {
  await server.blobs.put('prints/1/x.json', new TextEncoder().encode('[]'), 'application/json')
  const response = await fetch(media(server).urls(server.url)('prints/1/x.json'))
  expect(response.headers.get('content-disposition')).toBe('attachment')
})

test('a page that only the dashboard knows is the dashboard; a wrong API path is not', async () => {
  for (const path of ['/printers/1', '/assistant/', '/assistant/1/']) {
    const page = await get(path, { accept: 'text/html,*/*' })
    expect([200, 503]).toContain(page.status)
    expect(page.headers.get('content-type')).toMatch(/^text\//)
  }
  for (const path of ['/api/v1/nothing/', '/assistant/api/nothing/', '/media/x', '/ws/x/', '/assets/x.js']) {
    const response = await get(path, { accept: 'text/html,*/*' })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
  }
})
