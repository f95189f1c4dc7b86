import { AGENT_SUBPROTOCOL, LIVE_SOCKET_PATH, type Printer } from '@printwarden/protocol'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startTestServer, type TestServer } from '../testing.js'
import { newEventId, statusMessage, TestAgent, until } from './testing.js'

// The agents' part inside the whole server.

const T = 1_795_000_000

let server: TestServer
let agent: { id: number; token: string }

beforeEach(async () => {
  server = await startTestServer()
  const { printer, auth_token } = await server.addPrinter(server.owner.id)
  agent = { id: printer.id, token: auth_token }
})

afterEach(() => server.close())

function connect(protocols: string[] = [AGENT_SUBPROTOCOL]): Promise<TestAgent> {
  return TestAgent.open(server.url, protocols, { headers: { authorization: `Bearer ${agent.token}` } })
}

const printer = async (): Promise<Printer> => {
  const { json } = await server.call('GET', `/api/v1/printers/${agent.id}/`)
  return json as Printer
}

const say = (
  ...[text, ts, more]: [Parameters<typeof statusMessage>[1], number, Parameters<typeof statusMessage>[3]?]
) => statusMessage(server.clock.now(), text, ts, more)

async function upload(): Promise<Response> {
  const bytes = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
  const body = new FormData()
  body.set('pic', new Blob([new Uint8Array(bytes)]), 'pic.jpg')
  const headers = { authorization: `Token ${agent.token}` }
  return fetch(`${server.url}/api/v1/agent/pic/`, { method: 'POST', headers, body })
}

test('a print is seen from its start to its end', async () => {
  expect(await printer()).toMatchObject({
    status: null,
    current_print: null,
    not_watching_code: 'detector_unavailable',
  })
  const socket = await connect()
  expect(await socket.next('remote_status')).toEqual({ viewing: false, should_watch: false })
  socket.send({
    ...say('Printing', T, { event: { event_type: 'PrintStarted', id: newEventId() } }),
    settings: {
      webcams: [{ name: 'bed', stream_id: 1, rotation: 270 }],
      agent: { name: 'test-agent', version: '1.2' },
    },
  })
  await socket.next('ack')
  expect(await printer()).toMatchObject({
    status: { state: { text: 'Printing' } },
    current_print: { filename: 'boat.gcode', finished_at: null },
    agent_name: 'test-agent',
    agent_version: '1.2',
    settings: { webcam_rotation: 270, webcam_rotate90: true },
  })
  socket.send(say('Operational', T, { event: { event_type: 'PrintDone', id: newEventId() } }))
  await socket.next('ack')
  expect(await printer()).toMatchObject({ status: { state: { text: 'Operational' } }, current_print: null })
  const prints = (await server.call('GET', '/api/v1/prints/')).json as { finished_at: string }[]
  expect(prints).toMatchObject([{ filename: 'boat.gcode', finished_at: expect.any(String), cancelled_at: null }])
  const events = (await server.call('GET', '/api/v1/printer_events/')).json as { event_type: string }[]
  expect(events.map(({ event_type }) => event_type)).toEqual(['ENDED', 'STARTED'])
  await socket.kill()
  await until(async () => ((await printer()).status === null ? true : undefined), 'the printer to be offline')
})

test('a picture is shown by a URL that works', async () => {
  expect((await upload()).status).toBe(200)
  const { pic } = await printer()
  const response = await fetch(pic?.img_url ?? '')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('image/jpeg')
})

test.each([
  { offered: [], chosen: '' },
  { offered: ['agent.v1'], chosen: 'agent.v1' },
  { offered: ['agent.v9', 'agent.v1'], chosen: 'agent.v1' },
])('of the subprotocols $offered "$chosen" is chosen', async ({ offered, chosen }) => {
  expect((await connect(offered)).socket.protocol).toBe(chosen)
})

test('a frame above the hard cap ends with 1009, a smaller one with 4413', async () => {
  for (const [size, code] of [
    [5_000_000, 1009],
    [2_000_000, 4413],
  ] as const) {
    const socket = await connect()
    socket.send('x'.repeat(size))
    expect(await socket.closed).toBe(code)
  }
})

test('an agent is told when somebody begins to look, and finds it when it comes later', async () => {
  const socket = await connect()
  expect(await socket.next('remote_status')).toMatchObject({ viewing: false })
  const headers = { authorization: `Bearer ${server.owner.token}` }
  const app = new WebSocket(`${server.wsUrl}${LIVE_SOCKET_PATH}`, { headers })
  app.on('open', () => app.send(JSON.stringify({ subscribe: { printers: 'all' } })))
  expect(await socket.next('remote_status')).toEqual({ viewing: true })
  const again = await connect()
  expect(await again.next('remote_status')).toMatchObject({ viewing: true })
  app.close()
  expect(await again.next('remote_status')).toEqual({ viewing: false })
})

test('an action reaches the agent', async () => {
  const socket = await connect()
  socket.send(say('Printing', T, { event: { event_type: 'PrintStarted' } }))
  await socket.settled()
  const { json } = await server.call('POST', `/api/v1/printers/${agent.id}/pause_print/`)
  expect(json).toMatchObject({ succeeded: true })
  expect(await socket.next('commands')).toMatchObject([
    { cmd: 'pause', args: { retract: 6.5, lift_z: 2.5, tools_off: true } },
  ])
})

test('a deleted printer sends its agent away with 4401', async () => {
  const socket = await connect()
  await socket.next('remote_status')
  expect((await server.call('DELETE', `/api/v1/printers/${agent.id}/`)).status).toBe(200)
  expect(await socket.closed).toBe(4401)
  await expect(connect()).rejects.toMatchObject({ status: 401 })
})

test('turning detection off tells the agent that its pictures are not wanted', async () => {
  const socket = await connect()
  socket.send(say('Printing', T, { event: { event_type: 'PrintStarted' } }))
  await socket.settled()
  socket.received.length = 0
  await server.call('PATCH', `/api/v1/printers/${agent.id}/`, { body: { watching_enabled: false } })
  expect(await socket.next('remote_status')).toEqual({ should_watch: false })
})

test('a stopping server sends agents away with 1012', async () => {
  const socket = await connect()
  await socket.next('remote_status')
  await server.app.close()
  expect(await socket.closed).toBe(1012)
})
