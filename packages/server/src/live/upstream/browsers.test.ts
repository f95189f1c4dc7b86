import { SharedResource } from '@printwarden/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { UpstreamAgent } from '../../agents/upstream/testing.js'
import { addPrinterRow } from '../../printers/add-flow.js'
import { passthruSubject, printerSubject } from '../../printers/notices.js'
import { sampleStatus } from '../../printers/sample.js'
import { startTestServer, type TestServer } from '../../testing.js'
import { signIn } from '../testing.js'
import { openAgent, openViewer, type TestViewer } from './testing.js'

// Existing browsers and apps against the whole server, with an unmodified agent's socket at the other end.

type Json = Record<string, unknown>

let server: TestServer
let printerId: number
let authToken: string
let viewers: TestViewer[] = []
let agents: UpstreamAgent[] = []

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

beforeEach(async () => {
  const added = await server.addPrinter(server.owner.id)
  printerId = added.printer.id
  authToken = added.auth_token
})
afterEach(async () => {
  for (const { socket } of viewers.splice(0)) socket.terminate()
  for (const agent of agents.splice(0)) await agent.close()
  expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
})

function open(path: string, options: Parameters<typeof openViewer>[2] = {}): TestViewer {
  const viewer = openViewer(server, path, options)
  viewers.push(viewer)
  return viewer
}

async function agentOf(token = authToken): Promise<UpstreamAgent> {
  const agent = await openAgent(server, token)
  agents.push(agent)
  await agent.next('remote_status')
  return agent
}

async function share(): Promise<SharedResource> {
  const { json } = await server.call('POST', `/api/v1/sharedresources/?printer_id=${printerId}`)
  const [shared] = SharedResource.array().parse(json)
  if (shared === undefined) throw new Error('not shared')
  return shared
}

const tellStatus = (completion: number): void =>
  server.bus.publish(printerSubject(printerId), { type: 'status', status: sampleStatus('Printing', completion) })

const isPrinter = (message: Json): boolean => 'name' in message
const isPassthru = (message: Json): boolean => 'passthru' in message

test('a signed-in browser is told the whole printer when it comes and at each change', async () => {
  const { headers } = await signIn(server)
  const browser = open(`/ws/web/${printerId}/`, { headers: { ...headers, origin: server.url } })
  const first = await browser.next()
  const { json } = await server.call('GET', `/api/v1/printers/${printerId}/`)
  expect(first).toEqual(json)
  expect(first['auth_token']).toBe(authToken)
  tellStatus(33)
  expect(await browser.next()).toMatchObject({ id: printerId, status: { progress: { completion: 33 } } })
})

test('many changes at once are told as the newest', async () => {
  const browser = open(`/ws/token/web/${authToken}/`)
  await browser.next()
  for (let completion = 1; completion <= 90; completion += 1) tellStatus(completion)
  await expect
    .poll(() => browser.messages.at(-1), { timeout: 5000 })
    .toMatchObject({ status: { progress: { completion: 90 } } })
  expect(browser.messages.length).toBeLessThanOrEqual(2)
})

test.each([
  { name: 'no session', path: () => `/ws/web/${printerId}/`, headers: () => ({}), status: 401 },
  {
    name: 'an access token',
    path: () => `/ws/web/${printerId}/`,
    headers: () => ({ authorization: `Bearer ${server.owner.token}` }),
    status: 403,
  },
  { name: 'an unknown token', path: () => '/ws/token/web/0123456789abcdef0123/', headers: () => ({}), status: 401 },
  {
    name: 'a share token that is none',
    path: () => `/ws/share_token/web/${authToken}/`,
    headers: () => ({}),
    status: 401,
  },
  {
    name: 'a token without a slash at the end',
    path: () => `/ws/token/web/${authToken}`,
    headers: () => ({}),
    status: 101,
  },
])('let in with $name: $status', async ({ path, headers, status }) => {
  expect(await open(path(), { headers: headers() }).admitted).toBe(status)
})

test('a session opens only its own printers, and only from our own pages', async () => {
  const { headers } = await signIn(server)
  const foreign = await server.addPrinter(server.other.id)
  const statuses = [
    [`/ws/web/${foreign.printer.id}/`, server.url],
    ['/ws/web/999999/', server.url],
    ['/ws/web/x/', server.url],
    [`/ws/web/${printerId}/`, 'https://evil.example'],
  ].map(([path = '', origin = '']) => open(path, { headers: { ...headers, origin } }).admitted)
  expect(await Promise.all(statuses)).toEqual([404, 404, 404, 403])
})

test('a guest is told name, picture and settings, and of no other change', async () => {
  const { share_token } = await share()
  const guest = open(`/ws/share_token/web/${share_token}/`)
  expect(Object.keys(await guest.next())).toEqual(['name', 'pic', 'settings'])
  tellStatus(40)
  tellStatus(50)
  await server.call('PATCH', `/api/v1/printers/${printerId}/`, { body: { name: 'Renamed' } })
  expect(await guest.next()).toMatchObject({ name: 'Renamed' })
  expect(guest.messages).toEqual([])
})

test('calls go to the agent; what it says comes back to every browser of the printer, and to no guest', async () => {
  const agent = await agentOf()
  const { share_token } = await share()
  const [caller, another] = [open(`/ws/token/web/${authToken}/`), open(`/ws/token/web/${authToken}/`)]
  const guest = open(`/ws/share_token/web/${share_token}/`)
  await Promise.all([caller.next(), another.next(), guest.next()])
  const call = { target: '_printer', func: 'jog', args: [{ x: 10 }], ref: 'r1' }
  guest.say({ passthru: { ...call, ref: 'guest' } })
  caller.say({ passthru: call })
  expect(await agent.next('passthru')).toEqual(call)
  agent.say({ passthru: { ref: 'r1', ret: [1, 2] } })
  const reply = { passthru: { ref: 'r1', ret: [1, 2] }, type: 'web.message' }
  expect(await caller.next(isPassthru)).toEqual(reply)
  expect(await another.next(isPassthru)).toEqual(reply)
  agent.say({ passthru: { terminal_feed: { msg: 'ok', _ts: 1 } } })
  expect(await another.next(isPassthru)).toMatchObject({ passthru: { terminal_feed: { msg: 'ok' } } })
  expect(agent.received.filter((frame) => 'passthru' in frame)).toEqual([])
  expect(guest.messages.filter(isPassthru)).toEqual([])
})

test("another's agent is out of reach", async () => {
  const foreign = await server.addPrinter(server.other.id)
  const agent = await agentOf(foreign.auth_token)
  const browser = open(`/ws/token/web/${authToken}/`)
  await browser.next()
  browser.say({ passthru: { target: '_printer', func: 'home', ref: 'r' } })
  expect(await browser.next(isPassthru)).toMatchObject({
    passthru: { ref: 'r', error: expect.stringMatching(/No agent/) },
  })
  expect(agent.received.filter((frame) => 'passthru' in frame)).toEqual([])
})

test('a call that is not let through is answered, and goes nowhere', async () => {
  const agent = await agentOf()
  const browser = open(`/ws/token/web/${authToken}/`)
  await browser.next()
  browser.say({ passthru: { target: '_printer', func: '__init__', ref: 'r' } })
  expect(await browser.next(isPassthru)).toEqual({
    passthru: { ref: 'r', error: 'func is not the name of a function of _printer' },
    type: 'web.message',
  })
  browser.say({ passthru: { target: '_printer', func: 'home', args: [['x']] } })
  expect(await agent.next('passthru')).toEqual({ target: '_printer', func: 'home', args: [['x']] })
})

test('a browser counts as looking while it says that it is there', async () => {
  const agent = await agentOf()
  const browser = open(`/ws/token/web/${authToken}/`)
  expect(await agent.next('remote_status')).toEqual({ viewing: true })
  await browser.next()
  browser.socket.close()
  expect(await agent.next('remote_status')).toEqual({ viewing: false })
})

test('a new printer is shown although this node was not told of it yet', async () => {
  await open(`/ws/token/web/${authToken}/`).next()
  const added = await addPrinterRow(server.database.db, server, server.owner.id, { name: 'New' })
  expect(await open(`/ws/token/web/${added.auth_token}/`).next()).toMatchObject({ id: added.printer.id })
})

test('a browser that says it is there is told again what it was told long ago', async () => {
  const browser = open(`/ws/token/web/${authToken}/`)
  await browser.next()
  browser.say({})
  server.clock.advance(46_000)
  browser.say({})
  expect(await browser.next()).toMatchObject({ id: printerId })
  browser.say({})
  tellStatus(77)
  expect(await browser.next()).toMatchObject({ status: { progress: { completion: 77 } } })
  expect(browser.messages).toEqual([])
})

test('whatever let somebody in ends: their socket closes within a second, and no other', async () => {
  const { id: session_id, headers } = await signIn(server)
  const { id, share_token } = await share()
  const bySession = open(`/ws/web/${printerId}/`, { headers: { ...headers, origin: server.url } })
  const byToken = open(`/ws/token/web/${authToken}/`)
  const guest = open(`/ws/share_token/web/${share_token}/`)
  const gateway = open(`/ws/share_token/janus/${share_token}/`)
  await Promise.all([bySession, byToken, guest].map((viewer) => viewer.next()))
  // Who is refused never ends.
  expect(await gateway.admitted).toBe(101)
  const ended = async (act: () => Promise<unknown>, ...gone: TestViewer[]) => {
    const started = performance.now()
    await act()
    expect(await Promise.all(gone.map((viewer) => viewer.ended))).toEqual(gone.map(() => 4401))
    expect(performance.now() - started).toBeLessThan(1000)
  }
  await ended(() => server.call('DELETE', `/api/v1/sharedresources/${id}/`), guest, gateway)
  await ended(() => server.call('POST', `/api/v1/printers/${printerId}/rotate_auth_token/`), byToken)
  expect(await open(`/ws/token/web/${authToken}/`).admitted).toBe(401)
  expect(bySession.socket.readyState).toBe(bySession.socket.OPEN)
  await ended(async () => {
    await server.database.db.deleteFrom('sessions').where('id', '=', session_id).execute()
    server.bus.publish('revoked', { type: 'session', session_id })
  }, bySession)
})

test('a deleted printer is gone for all who look at it', async () => {
  const { share_token } = await share()
  const all = [open(`/ws/token/web/${authToken}/`), open(`/ws/share_token/web/${share_token}/`)]
  await Promise.all(all.map((viewer) => viewer.next()))
  await server.call('DELETE', `/api/v1/printers/${printerId}/`)
  expect(await Promise.all(all.map((viewer) => viewer.ended))).toEqual([4401, 4401])
})

test.each([
  { name: 'no JSON', say: '{', code: 4400 },
  { name: 'a large call', say: JSON.stringify({ a: 'x'.repeat(300_000) }), code: 4413 },
  { name: 'bytes', say: Buffer.from('{}'), code: 4400 },
])('$name closes with $code', async ({ say, code }) => {
  const browser = open(`/ws/token/web/${authToken}/`)
  await browser.next()
  browser.socket.send(say)
  expect(await browser.ended).toBe(code)
})

test('a flood closes', async () => {
  const browser = open(`/ws/token/web/${authToken}/`)
  await browser.next()
  for (let count = 0; count < 100; count += 1) browser.say({})
  expect(await browser.ended).toBe(4429)
})

test('a browser that does not read costs no memory, and is told the newest once it reads again', async () => {
  const browser = open(`/ws/token/web/${authToken}/`)
  await browser.next(isPrinter)
  browser.socket.pause()
  const before = process.memoryUsage().rss
  const msg = 'x'.repeat(200_000)
  for (let count = 0; count < 300; count += 1) {
    server.bus.publish(passthruSubject(printerId), { passthru: { terminal_feed: { msg, _ts: count } } })
    await new Promise((resolve) => setImmediate(resolve))
  }
  // 60 MB were said; what is kept for who does not read is bounded by the sockets.
  expect(process.memoryUsage().rss - before).toBeLessThan(150e6)
  tellStatus(88)
  browser.socket.resume()
  await expect
    .poll(() => browser.messages.findLast(isPrinter), { timeout: 10_000 })
    .toMatchObject({ status: { progress: { completion: 88 } } })
  expect(browser.messages.filter(isPassthru).length).toBeLessThan(200)
})

test('a token in the path is written nowhere', async () => {
  await open(`/ws/token/web/${authToken}/`).next()
  await open(`/ws/token/web/${'e'.repeat(40)}/`).admitted
  const { status, text } = await server.call('GET', `/ws/token/web/${authToken}/`)
  expect(status).toBe(400)
  expect(text).not.toContain(authToken)
  expect(JSON.stringify(server.log.lines)).not.toContain(authToken)
  expect((await server.call('GET', '/metrics')).text).not.toContain(authToken)
})
