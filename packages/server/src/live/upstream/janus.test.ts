import { SharedResource } from '@printwarden/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { UpstreamAgent } from '../../agents/upstream/testing.js'
import { startTestServer, type TestServer } from '../../testing.js'
import { signIn } from '../testing.js'
import { openAgent, openViewer, type TestViewer } from './testing.js'

// The relay to a video gateway: several viewers at once, an unmodified agent's socket, and a gateway in a few lines behind it.

type Json = Record<string, unknown>

const PROTOCOL = { protocols: ['janus-protocol'] }

let server: TestServer
let printerId: number
let authToken: string
let agent: UpstreamAgent
let viewers: TestViewer[] = []
/** What the gateway was asked. */
let asked: Json[]
let stopGateway: () => void

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

beforeEach(async () => {
  const added = await server.addPrinter(server.owner.id)
  printerId = added.printer.id
  authToken = added.auth_token
  agent = await openAgent(server, authToken)
  await agent.next('remote_status')
  asked = []
  stopGateway = runGateway()
})
afterEach(async () => {
  stopGateway()
  for (const { socket } of viewers.splice(0)) socket.terminate()
  await agent.close()
  expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
})

/** Numbers sessions, attaches, and offers a stream to whoever watches; as the agent hands texts on, so does this. */
function runGateway(): () => void {
  let id = 1000
  const answer = (request: Json): Json[] => {
    const { janus, transaction, session_id } = request
    if (janus === 'create') return [{ janus: 'success', transaction, data: { id: id++ } }]
    if (janus === 'attach') return [{ janus: 'success', session_id, transaction, data: { id: id++ } }]
    const ack = { janus: 'ack', session_id, transaction }
    if (janus !== 'message') return [ack]
    return [
      ack,
      { janus: 'event', session_id, sender: 1, jsep: { type: 'offer', sdp: `v=0 for ${String(session_id)}` } },
    ]
  }
  const timer = setInterval(() => {
    for (const { janus: text } of agent.received.splice(0).filter((frame) => 'janus' in frame)) {
      const request = JSON.parse(String(text)) as Json
      asked.push(request)
      for (const one of answer(request)) agent.say({ janus: JSON.stringify(one) })
    }
  }, 5)
  return () => clearInterval(timer)
}

function open(path: string, options: Parameters<typeof openViewer>[2] = PROTOCOL): TestViewer {
  const viewer = openViewer(server, path, options)
  viewers.push(viewer)
  return viewer
}

const byToken = (): string => `/ws/token/janus/${authToken}/`

async function ask(viewer: TestViewer, request: Json): Promise<Json> {
  viewer.say(request)
  return viewer.next(({ transaction }) => transaction === request['transaction'])
}

async function sessionOf(viewer: TestViewer, transaction = 'create'): Promise<number> {
  expect(await viewer.admitted).toBe(101)
  const { data } = await ask(viewer, { janus: 'create', transaction })
  return (data as { id: number }).id
}

async function shareToken(): Promise<string> {
  const { json } = await server.call('POST', `/api/v1/sharedresources/?printer_id=${printerId}`)
  return SharedResource.array().parse(json)[0]?.share_token ?? ''
}

test('a viewer watches: create, attach, watch, the offer, keep alive', async () => {
  const { headers } = await signIn(server)
  const viewer = open(`/ws/janus/${printerId}/`, { ...PROTOCOL, headers: { ...headers, origin: server.url } })
  const session_id = await sessionOf(viewer)
  expect(viewer.socket.protocol).toBe('janus-protocol')
  const plugin = 'janus.plugin.streaming'
  const attached = await ask(viewer, { janus: 'attach', plugin, session_id, transaction: 'a' })
  const handle_id = (attached['data'] as { id: number }).id
  const watch = { request: 'watch', id: 1, offer_video: true }
  await ask(viewer, { janus: 'message', session_id, handle_id, transaction: 'w', body: watch })
  expect(await viewer.next()).toMatchObject({ janus: 'event', jsep: { sdp: `v=0 for ${session_id}` } })
  expect(await ask(viewer, { janus: 'keepalive', session_id, transaction: 'k' })).toMatchObject({ janus: 'ack' })
  // Nothing but the transaction is changed on the way.
  expect(asked[2]).toMatchObject({ janus: 'message', session_id, handle_id, body: watch })
})

test('twenty viewers at once, all with the same transactions: each sees its own session alone', async () => {
  const all = Array.from({ length: 20 }, () => open(byToken()))
  const sessions = await Promise.all(all.map((viewer) => sessionOf(viewer, '1')))
  expect(new Set(sessions).size).toBe(20)
  await Promise.all(
    all.map(async (viewer, index) => {
      const session_id = sessions[index]
      await ask(viewer, { janus: 'message', session_id, transaction: '2', body: { request: 'watch', id: 1 } })
      expect(await viewer.next()).toMatchObject({ session_id, jsep: { sdp: `v=0 for ${session_id}` } })
    }),
  )
  // The order of what comes over one socket is kept, so what would be wrong is here by now.
  await ask(all[0] as TestViewer, { janus: 'keepalive', session_id: sessions[0], transaction: '3' })
  expect(all.flatMap(({ messages }) => messages)).toEqual([])
})

test("another's session is none, and the gateway hears nothing of it", async () => {
  const [one, two] = [open(byToken()), open(byToken())]
  const session_id = await sessionOf(one)
  await sessionOf(two)
  const count = asked.length
  expect(await ask(two, { janus: 'destroy', session_id, transaction: 'd' })).toMatchObject({
    ...{ janus: 'error', error: { code: 458 } },
  })
  expect(asked).toHaveLength(count)
})

test('who leaves ends their sessions', async () => {
  const viewer = open(byToken())
  const session_id = await sessionOf(viewer)
  viewer.socket.close()
  await expect.poll(() => asked.at(-1)).toMatchObject({ janus: 'destroy', session_id })
})

test('a guest may watch the cameras that the printer reports, and nothing else', async () => {
  const webcams = [{ name: 'bed', is_primary_camera: true, stream_mode: 'h264_copy', stream_id: 1 }]
  agent.say({ current_print_ts: -1, settings: { webcams, data_channel_id: 389, agent: { name: 'a', version: '1' } } })
  await expect
    .poll(async () => (await server.call('GET', `/api/v1/printers/${printerId}/`)).text)
    .toContain('"stream_id":1')
  const guest = open(`/ws/share_token/janus/${await shareToken()}/`)
  const session_id = await sessionOf(guest)
  const message = (transaction: string, body: Json) => ask(guest, { janus: 'message', session_id, transaction, body })
  expect(await message('1', { request: 'watch', id: 1 })).toMatchObject({ janus: 'ack' })
  expect(await message('2', { request: 'watch', id: 389 })).toMatchObject({ error: { code: 403 } })
  expect(await message('3', { request: 'destroy', id: 1 })).toMatchObject({ error: { code: 403 } })
  expect(asked.map(({ body }) => body).filter(Boolean)).toEqual([{ request: 'watch', id: 1 }])
})

test('without an agent a viewer is told so', async () => {
  const other = await server.addPrinter(server.owner.id)
  const viewer = open(`/ws/token/janus/${other.auth_token}/`)
  await viewer.admitted
  expect(await ask(viewer, { janus: 'create', transaction: '1' })).toMatchObject({
    ...{ janus: 'error', transaction: '1', error: { code: 490, reason: expect.stringMatching(/agent/) } },
  })
})

test.each([
  { name: 'another subprotocol', path: byToken, protocols: ['live.v1'], status: 400 },
  { name: 'none', path: byToken, protocols: [], status: 101 },
  { name: 'an unknown token', path: () => '/ws/token/janus/x/', protocols: ['janus-protocol'], status: 401 },
  { name: 'an unknown share', path: () => '/ws/share_token/janus/x/', protocols: ['janus-protocol'], status: 401 },
  { name: 'no session', path: () => `/ws/janus/${printerId}/`, protocols: ['janus-protocol'], status: 401 },
])('let in with $name: $status', async ({ path, protocols, status }) => {
  expect(await open(path(), { protocols }).admitted).toBe(status)
})

test('what is too large closes', async () => {
  const viewer = open(byToken())
  await viewer.admitted
  viewer.say('x'.repeat(70_000))
  expect(await viewer.ended).toBe(4413)
})
