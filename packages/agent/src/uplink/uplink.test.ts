import { afterEach, beforeEach, expect, test } from 'vitest'
import { fakeClock, type FakeClock } from '../time/fake-clock.js'
import { startFakeServer, type FakeServer } from './fake-server.js'
import { stateOfPhase } from '../tracking/host-state.js'
import { until } from '../testing.js'
import { openUplink, type Uplink } from './uplink.js'

const TOKEN = '0123456789abcdef0123456789abcdef01234567'
const message = { current_print_ts: -1, status: { _ts: 1, state: stateOfPhase('idle') } }

let server: FakeServer
let clock: FakeClock
let uplink: Uplink | undefined
let said: string[]

beforeEach(async () => {
  server = await startFakeServer()
  clock = fakeClock()
  said = []
})
afterEach(async () => {
  await uplink?.close()
  await server.close()
})

function open(serverUrl = server.url): Uplink {
  uplink = openUplink({
    serverUrl,
    authToken: TOKEN,
    clock,
    random: () => 0,
    listener: {
      onOpen: () => said.push('open'),
      onMessage: (text) => said.push(`message ${text}`),
      onDown: (why, retryInMs) => said.push(`down: ${why}, ${retryInMs}`),
      onRefused: (refusal) => said.push(`refused: ${refusal}`),
    },
  })
  return uplink
}

const says = (start: string, count = 1) =>
  until(start, () => said.filter((line) => line.startsWith(start)).length >= count)

test('it presents the token and the protocol', async () => {
  open()
  await says('open')
  expect(server.authorizations).toEqual([`Bearer ${TOKEN}`])
  expect(server.subprotocols).toEqual(['agent.v1'])
})

test('seq rises with each message and begins anew with each connection', async () => {
  const link = open()
  await says('open')
  link.sendStatus(message)
  link.sendStatus(message)
  await until('two messages', () => server.messages.length === 2)
  server.dropAll()
  await says('down')
  clock.advance(1000)
  await says('open', 2)
  link.sendStatus(message)
  await until('a third', () => server.messages.length === 3)
  expect(server.messages.map(({ seq }) => seq)).toEqual([1, 2, 1])
})

test('without a connection a message is dropped, not kept and not thrown', () => {
  const link = open('http://127.0.0.1:9')
  link.sendStatus(message)
  link.sendAck({ ack: { id: 'x' } })
  expect(link.isOpen).toBe(false)
})

test('a server that is not there is tried again, less and less often', async () => {
  const { port } = server
  await server.close()
  open(`http://127.0.0.1:${port}`)
  for (const waitMs of [500, 1000, 2000]) {
    await says(`down: connection refused, ${waitMs}`)
    clock.advance(waitMs)
  }
  server = await startFakeServer(port)
  await says('down: connection refused, 4000')
  clock.advance(4000)
  await says('open')
})

test('a server that cannot just now is tried as often as it asks, however long it cannot', async () => {
  Object.assign(server.mood, { upgradeStatus: 503, retryAfter: '5' })
  open()
  for (let times = 1; times <= 8; times++) {
    await says('down: it answered 503, 5000', times)
    clock.advance(5000)
  }
  await says('down: it answered 503, 5000', 9)
  server.mood.upgradeStatus = 101
  clock.advance(5000)
  await says('open')
})

test.each([500, 503, 404])('an answer of %i is told and tried again', async (status) => {
  server.mood.upgradeStatus = status
  open()
  await says(`down: it answered ${status}, 500`)
  server.mood.upgradeStatus = 101
  clock.advance(500)
  await says('open')
})

test('a server that restarts is tried again soon', async () => {
  open()
  await says('open')
  server.closeAll(1012)
  await says('down: it restarts, 500')
})

test.each([
  { code: 4408, name: 'silent' },
  { code: 4429, name: 'too many messages' },
  { code: 4400, name: 'not JSON' },
  { code: 1011, name: 'the server is broken' },
])('close code $code ($name) is tried again', async ({ code }) => {
  open()
  await says('open')
  server.closeAll(code)
  await says(`down: it closed the connection with ${code}`)
})

test('connections that break at once still back off', async () => {
  open()
  for (const waitMs of [500, 1000, 2000]) {
    await until('a connection', () => server.connected() === 1)
    server.closeAll(4429)
    await says(`down: it closed the connection with 4429, ${waitMs}`)
    clock.advance(waitMs)
  }
})

test('after a connection that held, the backoff begins anew', async () => {
  open()
  await until('a connection', () => server.connected() === 1)
  server.dropAll()
  await says('down: it closed the connection with 1006, 500')
  clock.advance(500)
  await says('open', 2)
  clock.advance(10_000)
  clock.advance(25_000)
  server.dropAll()
  await says('down: it closed the connection with 1006, 500', 2)
})

test('replaced by another agent: never again', async () => {
  open()
  await says('open')
  server.closeAll(4321)
  await says('refused: replaced')
  clock.advance(600_000)
  expect(server.authorizations).toHaveLength(1)
})

test('a token refused at the door: never again', async () => {
  server.mood.upgradeStatus = 401
  open()
  await says('refused: unauthorized')
  clock.advance(600_000)
  expect(server.authorizations).toHaveLength(1)
})

test('a token revoked later: never again', async () => {
  open()
  await says('open')
  server.closeAll(4401)
  await says('refused: unauthorized')
})

test('a server that went silent is left and tried again', async () => {
  open()
  await says('open')
  server.freezeAll()
  clock.advance(20_000)
  clock.advance(20_000)
  await says('down: it went silent')
})

test('what the server sends is handed on, whatever it is', async () => {
  open()
  await says('open')
  server.send('no json {')
  await says('message no json {')
})

test('a message of two mebibytes is not read, and the connection is made anew', async () => {
  open()
  await says('open')
  server.send('x'.repeat(2 * 1024 * 1024))
  await says('down')
  expect(said.filter((line) => line.startsWith('message'))).toEqual([])
  clock.advance(1000)
  await says('open', 2)
})

test('closing answers once the server has, and asks for no other connection', async () => {
  const link = open()
  await says('open')
  await link.close()
  await until('the server to see it', () => server.connected() === 0)
  clock.advance(600_000)
  expect(said).toEqual(['open'])
})
