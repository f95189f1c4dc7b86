import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { connectLive, type LiveClient, type Opening, signIn } from './testing.js'

let server: TestServer
let clients: LiveClient[]

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(async () => {
  await server.close()
})

beforeEach(() => {
  clients = []
})

afterEach(() => {
  for (const { socket } of clients) socket.terminate()
})

function connect(opening: Opening): LiveClient {
  const client = connectLive(server, opening)
  clients.push(client)
  return client
}

test.each<{ name: string; opening: () => Promise<Opening>; status: number }>([
  { name: 'nothing', opening: async () => ({ token: null }), status: 401 },
  { name: 'an unknown token', opening: async () => ({ token: 'x' }), status: 401 },
  { name: 'an unknown ticket', opening: async () => ({ token: null, query: '?ticket=x.y' }), status: 401 },
  {
    name: 'an expired token',
    opening: async () => ({ token: await server.addToken(server.owner.id, 'read', server.clock.now() - 1) }),
    status: 401,
  },
  {
    name: 'a token that may only write',
    opening: async () => ({ token: await server.addToken(server.owner.id, 'write') }),
    status: 403,
  },
  {
    name: 'a token that may read',
    opening: async () => ({ token: await server.addToken(server.owner.id, 'read') }),
    status: 101,
  },
  {
    name: 'X-API-KEY',
    opening: async () => ({ token: null, headers: { 'x-api-key': server.owner.token } }),
    status: 101,
  },
  { name: 'no subprotocol', opening: async () => ({ protocols: [] }), status: 101 },
  { name: 'only other subprotocols', opening: async () => ({ protocols: ['agent.v1'] }), status: 400 },
])('let in with $name: $status', async ({ opening, status }) => {
  expect(await connect(await opening()).admitted).toBe(status)
})

test('a session opens it from our own pages only', async () => {
  const { headers } = await signIn(server)
  expect(await connect({ token: null, headers: { ...headers, origin: server.url } }).admitted).toBe(101)
  expect(await connect({ token: null, headers: { ...headers, origin: 'https://evil.example' } }).admitted).toBe(403)
})

test('a ticket opens it once, also from a foreign page', async () => {
  const { status, json } = await server.call('POST', '/api/v1/live/ticket/')
  expect(status).toBe(201)
  const { ticket, expires_at } = json as { ticket: string; expires_at: string }
  expect(Date.parse(expires_at)).toBeGreaterThan(server.clock.now())
  const query = `?ticket=${ticket}`
  const headers = { origin: 'https://app.example' }
  const { admitted, subscribe, reach } = connect({ token: null, query, headers })
  expect(await admitted).toBe(101)
  await subscribe()
  await reach(1)
  expect(await connect({ token: null, query, headers }).admitted).toBe(401)
})

test('a ticket too old', async () => {
  const { json } = await server.call('POST', '/api/v1/live/ticket/')
  server.clock.advance(31_000)
  expect(await connect({ token: null, query: `?ticket=${(json as { ticket: string }).ticket}` }).admitted).toBe(401)
})

test('tickets are for those who may write', async () => {
  const reader = await server.addToken(server.owner.id, 'read')
  expect((await server.call('POST', '/api/v1/live/ticket/', { token: reader })).status).toBe(403)
  expect((await server.call('POST', '/api/v1/live/ticket/', { token: null })).status).toBe(401)
})

test('plain HTTP is told to upgrade', async () => {
  const { status, json } = await server.call('GET', '/ws/live/')
  expect([status, json]).toMatchObject([400, { code: 'invalid_request' }])
})
