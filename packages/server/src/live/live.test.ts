import { once } from 'node:events'
import { LiveState } from '@printwarden/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { printerSubject, REVOKED_SUBJECT, type RevokedNotice } from '../printers/notices.js'
import { sampleStatus } from '../printers/sample.js'
import type { PrinterRow } from '../printers/store.js'
import { startTestServer, type TestServer } from '../testing.js'
import { connectLive, type LiveClient, type Opening, signIn } from './testing.js'

let server: TestServer
let printer: PrinterRow
let clients: LiveClient[]

beforeAll(async () => {
  server = await startTestServer()
  printer = (await server.addPrinter(server.owner.id)).printer
  await server.addPrinter(server.other.id, 'Foreign')
})

afterAll(async () => {
  await server.close()
})

beforeEach(() => {
  clients = []
})

afterEach(() => {
  for (const { socket } of clients) socket.terminate()
  expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
})

function connect(opening: Opening = {}): LiveClient {
  const client = connectLive(server, opening)
  clients.push(client)
  return client
}

const tellStatus = (completion: number): void =>
  server.bus.publish(printerSubject(printer.id), { type: 'status', status: sampleStatus('Printing', completion) })

const revoke = (notice: RevokedNotice): void => server.bus.publish(REVOKED_SUBJECT, notice)

async function tokenId(token: string): Promise<number> {
  const query = server.database.db.selectFrom('oauth_tokens').select('id')
  return (await query.where('token_hash', '=', server.secrets.hash(token)).executeTakeFirstOrThrow()).id
}

test("a subscriber gets its user's printers and what changes on them", async () => {
  const { socket, subscribe, reach } = connect()
  await subscribe()
  const [first] = await reach(1)
  expect(socket.protocol).toBe('live.v1')
  expect(LiveState.parse(first).state.printers.map(({ id }) => id)).toEqual([printer.id])
  tellStatus(33)
  expect((await reach(2))[1]).toMatchObject({
    printer: { id: printer.id, changes: { status: { progress: { completion: 33 } } } },
  })
})

test('what the REST API answers is what the socket says', async () => {
  const { subscribe, reach } = connect()
  await subscribe()
  const [first] = await reach(1)
  const { json } = await server.call('GET', `/api/v1/printers/${printer.id}/`)
  expect(LiveState.parse(first).state.printers[0]).toEqual({ ...(json as object), status: expect.anything() })
})

test('a credential that is revoked closes its sockets at once, and no others', async () => {
  const token = await server.addToken(server.owner.id)
  const { id: session_id, headers } = await signIn(server)
  const [bySession, byToken, byOther] = [
    connect({ token: null, headers }),
    connect({ token }),
    connect({ token: server.other.token }),
  ]
  for (const { subscribe, reach } of [bySession, byToken, byOther]) {
    await subscribe()
    await reach(1)
  }
  const started = Date.now()
  revoke({ type: 'token', token_id: await tokenId(token) })
  expect(await byToken.ended).toBe(4401)
  expect(Date.now() - started).toBeLessThan(1000)
  revoke({ type: 'session', session_id })
  expect(await bySession.ended).toBe(4401)
  expect(byOther.socket.readyState).toBe(WebSocket.OPEN)
  revoke({ type: 'user', user_id: server.other.id })
  expect(await byOther.ended).toBe(4401)
})

test('garbage is answered, and the socket goes on', async () => {
  const { socket, admitted, reach, subscribe } = connect()
  await admitted
  socket.send('{')
  socket.send('null')
  socket.send(Buffer.from([1, 2, 3]))
  socket.send(JSON.stringify({ subscribe: { printers: 'none' } }))
  const errors = await reach(4)
  expect(errors.slice(0, 4)).toMatchObject([
    { error: { code: 'malformed_json' } },
    { error: { code: 'invalid_request' } },
    { error: { code: 'malformed_json' } },
    { error: { code: 'invalid_request' } },
  ])
  await subscribe()
  expect((await reach(5))[4]).toHaveProperty('state')
})

test.each([
  { name: 'a frame over 1 MiB', bytes: 1024 * 1024 + 1, code: 4413 },
  { name: 'a frame over the cap of the library', bytes: 5 * 1024 * 1024, code: 1009 },
])('$name closes with $code', async ({ bytes, code }) => {
  const { socket, admitted, ended } = connect()
  await admitted
  socket.send('x'.repeat(bytes))
  expect(await ended).toBe(code)
})

test('too many requests close with 4429', async () => {
  const { socket, admitted, ended } = connect()
  await admitted
  for (let index = 0; index < 200; index += 1) socket.send('{}')
  expect(await ended).toBe(4429)
})

test('a client that reads nothing does not hold up another, and gets the newest when it reads again', async () => {
  const [slow, quick] = [connect(), connect()]
  for (const { subscribe, reach } of [slow, quick]) {
    await subscribe()
    await reach(1)
  }
  slow.socket.pause()
  const padding = 'x'.repeat(400_000)
  for (let completion = 1; completion <= 40; completion += 1) {
    const status = { ...sampleStatus('Printing', completion), _ts: completion, padding }
    server.bus.publish(printerSubject(printer.id), { type: 'status', status })
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const last = { printer: { changes: { status: { progress: { completion: 40 } } } } }
  await expect.poll(() => quick.messages.at(-1), { timeout: 5000 }).toMatchObject(last)
  const before = slow.messages.length
  slow.socket.resume()
  await expect.poll(() => slow.messages.at(-1), { timeout: 5000 }).toMatchObject(last)
  // What waited in the network at most; the rest was never sent.
  expect(slow.messages.length - before).toBeLessThan(quick.messages.length)
})

test('after a lost connection only what was missed', async () => {
  const one = connect()
  await one.subscribe()
  const { cursor } = LiveState.parse((await one.reach(1))[0]).state
  one.socket.terminate()
  await one.ended
  tellStatus(77)
  const two = connect()
  await two.subscribe('all', cursor)
  expect((await two.reach(1))[0]).toMatchObject({
    printer: { id: printer.id, changes: { status: { progress: { completion: 77 } } } },
  })
})

test('what the REST API changes, the socket tells: a new printer, a new name, deletion', async () => {
  const { subscribe, reach } = connect()
  await subscribe()
  await reach(1)
  const { json } = await server.call('POST', '/api/v1/printers/', { body: { name: 'New' } })
  const { id } = json as { id: number }
  expect((await reach(2))[1]).toMatchObject({ printer: { id, changes: { name: 'New' } } })
  await server.call('PATCH', `/api/v1/printers/${id}/`, { body: { name: 'Newer' } })
  expect((await reach(3))[2]).toMatchObject({ printer: { id, changes: { name: 'Newer' } } })
  await server.call('DELETE', `/api/v1/printers/${id}/`)
  expect((await reach(4))[3]).toMatchObject({ removed: { id } })
})

test('a server that stops tells its subscribers to come back', async () => {
  const stopping = await startTestServer()
  const socket = new WebSocket(`${stopping.wsUrl}/ws/live/`, ['live.v1'], {
    headers: { authorization: `Bearer ${stopping.owner.token}` },
  })
  await once(socket, 'open')
  const ended = once(socket, 'close')
  await stopping.close()
  expect((await ended)[0]).toBe(1012)
})
