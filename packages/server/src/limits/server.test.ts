import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AGENT_SOCKET_PATH, AGENT_SUBPROTOCOL, ProblemDetails } from '@printwarden/protocol'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { memoryCounters } from '../adapters/counters-memory.js'
import type { AppDeps } from '../app.js'
import { PATIENCE_MS } from '../http/connection-limits.js'
import { media } from '../http/media.js'
import { BYTES_PER_REQUEST, VALUES_PER_REQUEST } from '../http/request-cost.js'
import { startTestServer, type TestServer } from '../testing.js'

// Limits at a whole server, set low: who meets one is told when to come back, and nobody else notices.

const servers: TestServer[] = []

async function start(limits: AppDeps['limits'], config: Partial<AppDeps['config']> = {}): Promise<TestServer> {
  const server = await startTestServer({
    limits: limits ?? {},
    config: { ...CONFIG, ...config },
  })
  servers.push(server)
  return server
}

const CONFIG: AppDeps['config'] = {
  trustedProxies: [],
  tls: undefined,
  maxSnapshotBytes: 1024 * 1024,
  maxGCodeBytes: 1024 * 1024,
  smoothing: 'default',
  publicUrl: undefined,
  accessTokenSeconds: 3600,
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

/** Slow enough that nothing flows in again while a test runs. */
const FEW = { perSecond: 0.01, burst: 5 }

/** The statuses of so many requests, one after another. */
async function statuses(count: number, ask: () => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = []
  for (let index = 0; index < count; index += 1) found.push((await ask()).status)
  return found
}

const limited = (server: TestServer): object[] =>
  server.log.lines.filter(({ text }) => text.startsWith('a limit was met')).map(({ fields }) => fields)

/** The upgrade's status, or 101 and the socket. */
function openAgent(
  server: TestServer,
  authToken: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; socket: WebSocket; retryAfter?: string | undefined }> {
  const socket = new WebSocket(`${server.wsUrl}${AGENT_SOCKET_PATH}`, AGENT_SUBPROTOCOL, {
    headers: { authorization: `Bearer ${authToken}`, ...headers },
  })
  return new Promise((resolve) => {
    socket.on('error', () => undefined)
    socket.once('open', () => resolve({ status: 101, socket }))
    socket.once('unexpected-response', (request, response) => {
      resolve({ status: response.statusCode ?? 0, socket, retryAfter: response.headers['retry-after'] })
      request.destroy()
    })
  })
}

test('a user who asks too much is told when to come back; others are not held up', async () => {
  const server = await start({ user_requests: FEW })
  const ask = (token: string) => () => server.call('GET', '/api/v1/users/me/', { token })
  expect(await statuses(7, ask(server.owner.token))).toEqual([200, 200, 200, 200, 200, 429, 429])
  const refused = await ask(server.owner.token)()
  expect(ProblemDetails.parse(refused.json)).toMatchObject({ status: 429, code: 'rate_limited' })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
  expect((await ask(server.other.token)()).status).toBe(200)
  expect(limited(server)).toEqual([{ limit: 'user_requests', who: `user ${server.owner.id}` }])
  expect((await server.call('GET', '/metrics', { token: null })).text).toContain(
    'printwarden_limited_total{limit="user_requests"} 3',
  )
})

test('what costs more takes more of it', async () => {
  const server = await start({ user_requests: { perSecond: 0.01, burst: 8 } })
  expect(await statuses(3, () => server.call('GET', '/api/v1/prints/'))).toEqual([200, 200, 429])
  expect((await server.call('GET', '/api/v1/prints/', { token: server.other.token })).status).toBe(200)
})

/** The status of a request whose body comes in chunks, without its length; undefined after hanging up in the middle. */
async function sendChunked(server: TestServer, bytes: number, hangsUp = false): Promise<number | undefined> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  const head = ['PATCH /api/v1/users/me/ HTTP/1.1', 'Host: x', `Authorization: Bearer ${server.owner.token}`]
  socket.write([...head, 'Content-Type: application/json', 'Transfer-Encoding: chunked', '', ''].join('\r\n'))
  const text = `{"first_name":"Ada"${' '.repeat(bytes - 20)}}`
  for (let at = 0; at < bytes; at += 10_000) {
    const chunk = text.slice(at, at + 10_000)
    socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
  }
  if (hangsUp) {
    socket.resume().end()
    await once(socket, 'close')
    return undefined
  }
  socket.write('0\r\n\r\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return Number(answer.toString('latin1', 9, 12))
}

test.each([
  { name: 'small ones count as one', bytes: 100, passes: 20 },
  { name: 'ten times the step counts as eleven', bytes: 10 * BYTES_PER_REQUEST, passes: 2 },
])('a body in chunks counts by what came of it: $name', async ({ bytes, passes }) => {
  const server = await start({ user_requests: { perSecond: 0.01, burst: 20 } })
  for (let count = 0; count < passes; count += 1) expect(await sendChunked(server, bytes)).toBe(200)
  await expect.poll(async () => (await server.call('GET', '/api/v1/users/me/')).status).toBe(429)
  // Two large ones were not both there: what is missing has to flow in first.
  const { headers } = await server.call('GET', '/api/v1/users/me/')
  const seconds = Number(headers.get('retry-after'))
  expect(seconds).toBeGreaterThan(bytes > 100 ? 280 : 80)
  expect(seconds).toBeLessThanOrEqual(bytes > 100 ? 300 : 100)
  expect((await server.call('GET', '/api/v1/users/me/', { token: server.other.token })).status).toBe(200)
})

test('the values of a body count for who sends it', async () => {
  const server = await start({ user_requests: { perSecond: 0.01, burst: 20 } })
  const rename = (values: number) => () =>
    server.call('PATCH', '/api/v1/users/me/', { body: { first_name: 'Ada', more: Array(values).fill(0) } })
  expect(await statuses(5, rename(100))).toEqual(Array(5).fill(200))
  // Sixteen, of which fifteen are there: what is missing has to flow in.
  expect((await rename(15 * VALUES_PER_REQUEST)()).status).toBe(200)
  await expect.poll(async () => (await rename(0)()).status).toBe(429)
  expect((await server.call('GET', '/api/v1/users/me/', { token: server.other.token })).status).toBe(200)
})

test('the bytes of a body count for an address that nobody knows', async () => {
  const server = await start({ address_requests: { perSecond: 0.01, burst: 20 } })
  const signIn = () =>
    server.call('POST', '/api/v1/admin/sign_in/', { token: null, body: { email: 'x'.repeat(10 * BYTES_PER_REQUEST) } })
  expect(await statuses(2, signIn)).toEqual([400, 429])
})

test('who hangs up in the middle of a body in chunks has sent it all the same', async () => {
  const server = await start({ user_requests: { perSecond: 0.01, burst: 20 } })
  for (let count = 0; count < 2; count += 1) await sendChunked(server, 10 * BYTES_PER_REQUEST, true)
  await expect.poll(async () => (await server.call('GET', '/api/v1/users/me/')).status).toBe(429)
  const { headers } = await server.call('GET', '/api/v1/users/me/')
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(280)
})

test('who hangs up before anybody knows who asks holds no place of those under way', async () => {
  const counters = memoryCounters({ now: () => Date.now() })
  const server = await startTestServer({
    limits: { user_requests: { perSecond: 1000, burst: 9 }, user_requests_at_once: 64 },
    // So late that the client is gone by then.
    counters: { update: (keys, step) => sleep(10).then(() => counters.update(keys, step)) },
  })
  servers.push(server)
  const port = Number(new URL(server.url).port)
  for (let index = 0; index < 90; index += 1) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(`GET /api/v1/users/me/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.owner.token}\r\n\r\n`)
    await sleep(2 + (index % 2))
    socket.resetAndDestroy()
  }
  await sleep(50)
  expect((await server.call('GET', '/api/v1/users/me/')).status).toBe(200)
})

test('requests that name nobody count for their address; probes always pass', async () => {
  const server = await start({ address_requests: FEW })
  const anonymous = () => server.call('GET', '/api/v1/users/me/', { token: null })
  expect(await statuses(6, anonymous)).toEqual([401, 401, 401, 401, 401, 429])
  expect((await server.call('GET', '/login/', { token: null })).status).toBe(429)
  expect(await statuses(10, () => server.call('GET', '/healthz', { token: null }))).toEqual(Array(10).fill(200))
  expect((await server.call('GET', '/api/v1/users/me/')).status).toBe(200)
})

test('probes count for their address by themselves, save those of this machine', async () => {
  const server = await start({ address_probes: FEW }, { trustedProxies: ['127.0.0.1'] })
  const from = (path: string, ip: string) => () => fetch(server.url + path, { headers: { 'x-forwarded-for': ip } })
  expect(await statuses(6, from('/healthz', '192.0.2.1'))).toEqual([200, 200, 200, 200, 200, 429])
  const refused = await from('/readyz', '192.0.2.1')()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
  expect((await from('/metrics', '192.0.2.1')()).status).toBe(429)
  expect((await from('/healthz', '192.0.2.2')()).status).toBe(200)
  expect(await statuses(10, () => server.call('GET', '/healthz', { token: null }))).toEqual(Array(10).fill(200))
})

test('however often it is asked whether the server is ready, its parts are looked at once a second', async () => {
  const server = await start({})
  let pings = 0
  const ping = server.database.ping.bind(server.database)
  server.database.ping = async () => {
    pings += 1
    await ping()
  }
  await Promise.all(Array.from({ length: 20 }, () => fetch(`${server.url}/readyz`)))
  expect(pings).toBe(1)
  await sleep(1_000)
  await fetch(`${server.url}/readyz`)
  expect(pings).toBe(2)
})

/** Asks for a blob, so many times over one connection, and reads nothing of it. */
async function openUnread(server: TestServer, url: string, ip: string, times = 1): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.on('error', () => undefined).pause()
  await once(socket, 'connect')
  socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${ip}\r\n\r\n`.repeat(times))
  await once(socket, 'readable')
  return socket
}

test('blobs that go out to one address have a number; who never reads keeps out nobody else', async () => {
  const server = await start({ address_media_at_once: 3 }, { trustedProxies: ['127.0.0.1'] })
  await server.blobs.put('g_code/1/large.bin', Buffer.alloc(64 * 1024 * 1024), 'application/octet-stream')
  const url = media(server).urls('')('g_code/1/large.bin')
  const from = (ip: string) => fetch(server.url + url, { headers: { 'x-forwarded-for': ip, range: 'bytes=0-9' } })
  const unread = [1, 2, 3].map(() => openUnread(server, url, '192.0.2.1'))
  const [first, ...others] = await Promise.all(unread)
  const refused = await from('192.0.2.1')
  expect(ProblemDetails.parse(await refused.json())).toMatchObject({ status: 429, code: 'rate_limited' })
  expect(limited(server)).toEqual([{ limit: 'address_media_at_once', who: '192.0.2.1' }])
  expect((await from('192.0.2.2')).status).toBe(206)
  first?.destroy()
  await expect.poll(async () => (await from('192.0.2.1')).status, { timeout: 10_000 }).toBe(206)
  for (const socket of others) socket.destroy()
})

test('answers that wait behind another one end with their connection', async () => {
  const server = await start({ address_media_at_once: 20 })
  await server.blobs.put('g_code/1/large.bin', Buffer.alloc(64 * 1024 * 1024), 'application/octet-stream')
  const url = media(server).urls('')('g_code/1/large.bin')
  const ask = () => fetch(server.url + url, { headers: { range: 'bytes=0-9' } })
  const waiting = await openUnread(server, url, '', 20)
  await expect.poll(async () => (await ask()).status, { timeout: 10_000 }).toBe(429)
  waiting.destroy()
  // Room for one would be there anyway, since the first answer is told.
  await expect.poll(async () => (await ask()).status, { timeout: 10_000 }).toBe(206)
  const again = await openUnread(server, url, '', 19)
  expect((await ask()).status).toBe(206)
  again.destroy()
})

test('a request that is one too many under way costs nothing', async () => {
  const counters = memoryCounters({ now: () => Date.now() })
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  const server = await startTestServer({
    limits: { user_requests: { perSecond: 0.01, burst: 9 }, user_requests_at_once: 1 },
    // The first one is under way until the others have been answered.
    counters: {
      async update(keys, step) {
        await opened
        return counters.update(keys, step)
      },
    },
  })
  servers.push(server)
  const first = server.call('GET', '/api/v1/users/me/')
  await sleep(100)
  const others = await Promise.all(Array.from({ length: 20 }, () => server.call('GET', '/api/v1/users/me/')))
  expect(others.map(({ status }) => status)).toEqual(Array(20).fill(429))
  open()
  expect((await first).status).toBe(200)
  expect(await statuses(9, () => server.call('GET', '/api/v1/users/me/'))).toEqual([...Array<number>(8).fill(200), 429])
})

test('behind a trusted proxy the client counts, an IPv6 one by its network', async () => {
  const server = await start({ address_requests: FEW }, { trustedProxies: ['127.0.0.1'] })
  const from = (ip: string) => () => fetch(`${server.url}/login/`, { headers: { 'x-forwarded-for': ip } })
  expect(await statuses(6, from('2001:db8::1'))).toEqual([200, 200, 200, 200, 200, 429])
  expect((await from('2001:db8::ffff:1')()).status).toBe(429)
  expect((await from('2001:db8:0:1::1')()).status).toBe(200)
  expect((await from('192.0.2.1')()).status).toBe(200)
})

test('without one, nobody gets another allowance by saying so', async () => {
  const server = await start({ address_requests: FEW })
  let last = 0
  for (let index = 0; index < 6; index += 1) {
    last = (await fetch(`${server.url}/login/`, { headers: { 'x-forwarded-for': `192.0.2.${index}` } })).status
  }
  expect(last).toBe(429)
})

test('who tries tokens that nobody has is slowed; one that is known passes from the same address', async () => {
  const server = await start({ address_unknown_credentials: FEW })
  expect((await server.call('GET', '/api/v1/users/me/')).status).toBe(200)
  let guess = 0
  const wrong = () => server.call('GET', '/api/v1/users/me/', { token: `no-such-token-${(guess += 1)}` })
  expect((await statuses(8, wrong)).slice(-2)).toEqual([429, 429])
  expect((await server.call('GET', '/api/v1/users/me/')).status).toBe(200)
})

test('an agent that opens socket after socket is refused before the upgrade; others come in', async () => {
  const server = await start({ agent_sockets_opened: FEW })
  const bad = await server.addPrinter(server.owner.id, 'Bad')
  const good = await server.addPrinter(server.owner.id, 'Good')
  for (let index = 0; index < 5; index += 1) expect((await openAgent(server, bad.auth_token)).status).toBe(101)
  const refused = await openAgent(server, bad.auth_token)
  expect(refused.status).toBe(429)
  expect(Number(refused.retryAfter)).toBeGreaterThan(50)
  expect((await openAgent(server, good.auth_token)).status).toBe(101)
})

test('sockets of one address have a number', async () => {
  const server = await start({ address_sockets: 2 })
  const printers = await Promise.all(['A', 'B', 'C'].map((name) => server.addPrinter(server.owner.id, name)))
  const tokens = printers.map(({ auth_token }) => auth_token)
  const opened = [await openAgent(server, tokens[0] ?? ''), await openAgent(server, tokens[1] ?? '')]
  expect(opened.map(({ status }) => status)).toEqual([101, 101])
  expect((await openAgent(server, tokens[2] ?? '')).status).toBe(429)
  opened[0]?.socket.close()
  await expect.poll(async () => (await openAgent(server, tokens[2] ?? '')).status, { timeout: 30_000 }).toBe(101)
})

test('a flood of messages ends with 4429, and a new socket does not begin anew', async () => {
  const server = await start({ agent_messages: { perSecond: 0.01, burst: 50 } })
  const bad = await server.addPrinter(server.owner.id, 'Bad')
  const good = await server.addPrinter(server.owner.id, 'Good')
  const other = await openAgent(server, good.auth_token)
  const flood = async (count: number): Promise<unknown> => {
    const { socket } = await openAgent(server, bad.auth_token)
    const closed = once(socket, 'close')
    for (let index = 0; index < count; index += 1) socket.send('{}')
    return (await closed)[0]
  }
  expect(await flood(51)).toBe(4429)
  expect(await flood(1)).toBe(4429)
  expect(limited(server)).toEqual([{ limit: 'agent_messages', who: expect.stringMatching(/^printer \d+$/) }])
  other.socket.send('{}')
  expect(JSON.parse(String((await once(other.socket, 'message'))[0]))).toBeTypeOf('object')
  expect(other.socket.readyState).toBe(WebSocket.OPEN)
})

test('whoever holds connections open in silence keeps nobody out: the oldest make way, once they are not young', async () => {
  const server = await start({ address_silent_connections: 20 })
  const port = Number(new URL(server.url).port)
  const silent: Socket[] = []
  let closed = 0
  async function openSilent(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined).on('close', () => (closed += 1))
      await once(socket, 'connect')
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ')
      silent.push(socket)
    }
  }
  await openSilent(50)
  expect((await server.call('GET', '/api/v1/users/me/')).status).toBe(200)
  expect(closed).toBe(0)
  server.clock.advance(PATIENCE_MS)
  await openSilent(1)
  await expect.poll(() => closed, { timeout: 10_000 }).toBeGreaterThanOrEqual(31)
  expect((await server.call('GET', '/api/v1/users/me/')).status).toBe(200)
  expect(closed).toBeLessThanOrEqual(33)
  for (const socket of silent) socket.destroy()
})

test('connections of one address have a number, and trusted proxies are not counted', async () => {
  const server = await start({ address_connections_opened: { perSecond: 0.01, burst: 3 } })
  const port = Number(new URL(server.url).port)
  const tryOnce = async (): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(socket, 'close')
    return Buffer.concat(chunks).toString().slice(0, 12)
  }
  const answers = [await tryOnce(), await tryOnce(), await tryOnce(), await tryOnce()]
  expect(answers).toEqual([...Array<string>(3).fill('HTTP/1.1 200'), ''])

  const behind = await start(
    { address_connections_opened: { perSecond: 0.01, burst: 1 } },
    { trustedProxies: ['127.0.0.0/8'] },
  )
  for (let index = 0; index < 4; index += 1) {
    const response = await fetch(`${behind.url}/healthz`, { headers: { connection: 'close' } })
    expect(response.status).toBe(200)
  }
})
