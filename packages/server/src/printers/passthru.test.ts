import { PassthruResult, PrinterEvent } from '@printwarden/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { TestAgent } from '../agents/testing.js'
import { UpstreamAgent } from '../agents/upstream/testing.js'
import { startTestServer, type TestServer } from '../testing.js'

// Calls of functions of an agent by the REST API, with an unmodified agent's socket at the other end.

let server: TestServer
let printerId: number
let authToken: string
let agents: { close(): Promise<void> }[] = []

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
  for (const agent of agents.splice(0)) await agent.close()
  expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
})

async function connect(): Promise<UpstreamAgent> {
  const agent = await UpstreamAgent.open(server.url, `bearer ${authToken}`)
  agents.push(agent)
  await agent.next('remote_status')
  return agent
}

const HOME = { target: '_printer', func: 'home', args: [['x', 'y']] }

async function call(body: unknown, token?: string): Promise<PassthruResult> {
  const { status, json, text } = await server.call('POST', `/api/v1/printers/${printerId}/passthru/`, {
    ...{ body, ...(token === undefined ? {} : { token }) },
  })
  if (status !== 200) throw new Error(`${status} ${text}`)
  return PassthruResult.parse(json)
}

async function history(): Promise<PrinterEvent[]> {
  const { json } = await server.call('GET', '/api/v1/printer_events/?filter_by_types[]=COMMAND_GIVEN')
  return PrinterEvent.array()
    .parse(json)
    .filter(({ printer }) => printer === printerId)
}

/** Answers the next call as the agent does. */
async function answer(agent: UpstreamAgent, reply: object): Promise<unknown> {
  const asked = (await agent.next('passthru')) as { ref: string }
  agent.say({ passthru: { ref: 'another', ret: 'not this one' } })
  agent.say({ passthru: { ref: asked.ref, ...reply } })
  return asked
}

test.each([
  { name: 'something', ret: { files: [1, 2] } },
  { name: 'nothing', ret: null },
  { name: 'a truth', ret: false },
])('the agent returns $name', async ({ ret }) => {
  const agent = await connect()
  const [result, asked] = await Promise.all([call(HOME), answer(agent, { ret })])
  expect(result).toEqual({ succeeded: true, ret, error: null })
  expect(asked).toEqual({ ...HOME, ref: expect.stringMatching(/^[0-9a-f-]{36}$/) })
})

test('an error of the agent is told in its words', async () => {
  const agent = await connect()
  const [result] = await Promise.all([call(HOME), answer(agent, { error: 'Printer busy!' })])
  expect(result).toEqual({ succeeded: false, ret: null, error: { code: 'agent_error', detail: 'Printer busy!' } })
})

test('keyword arguments of a path of the host go through as they are', async () => {
  const agent = await connect()
  const body = { target: 'moonraker_api', func: 'printer/gcode/script', kwargs: { verb: 'post', script: 'G28' } }
  const [, asked] = await Promise.all([call(body), answer(agent, { ret: 'ok' })])
  expect(asked).toMatchObject(body)
})

test('without an agent, and with one of our own that takes no such calls: not connected, and no line of the history', async () => {
  expect(await call(HOME)).toMatchObject({ succeeded: false, error: { code: 'not_connected' } })
  const own = await TestAgent.open(server.url, [], { headers: { authorization: `Bearer ${authToken}` } })
  agents.push({ close: () => own.kill() })
  expect(await call(HOME)).toMatchObject({ succeeded: false, error: { code: 'not_connected' } })
  expect(await history()).toEqual([])
})

test('an agent that does not answer is waited for as long as was asked', async () => {
  const agent = await connect()
  const started = performance.now()
  const [result] = await Promise.all([call({ ...HOME, timeout_seconds: 1 }), agent.next('passthru')])
  expect(result).toMatchObject({ succeeded: false, error: { code: 'no_answer' } })
  expect(performance.now() - started).toBeGreaterThan(900)
})

test('the history says who asked; what is asked again and again is one line of it', async () => {
  const agent = await connect()
  for (let count = 0; count < 3; count += 1) await Promise.all([call(HOME), answer(agent, { ret: null })])
  const lines = await history()
  expect(lines).toMatchObject([
    { event_class: 'INFO', event_text: '_printer home was called by an app.', initiator: 'app', print: null },
  ])
  server.clock.advance(11 * 60_000)
  await Promise.all([call(HOME), answer(agent, { ret: null })])
  expect(await history()).toHaveLength(2)
})

test.each([
  { name: 'an unknown target', body: { target: '_settings', func: 'get' }, path: 'target' },
  { name: 'a private function', body: { target: '_printer', func: '__class__' }, path: 'func' },
  { name: 'a path that leaves the API', body: { target: 'moonraker_api', func: '../x' }, path: 'func' },
  { name: 'too long a wait', body: { ...HOME, timeout_seconds: 61 }, path: 'timeout_seconds' },
])('$name is refused, with what is wrong', async ({ body, path }) => {
  const agent = await connect()
  const { status, json } = await server.call('POST', `/api/v1/printers/${printerId}/passthru/`, { body })
  expect(status).toBe(400)
  expect(json).toMatchObject({ code: 'invalid_request', issues: [{ path }] })
  expect(agent.received).toEqual([])
})

test('needs "write", and a printer of one\'s own', async () => {
  const path = `/api/v1/printers/${printerId}/passthru/`
  const reader = await server.addToken(server.owner.id, 'read')
  expect((await server.call('POST', path, { body: HOME, token: reader })).status).toBe(403)
  expect((await server.call('POST', path, { body: HOME, token: server.other.token })).status).toBe(404)
})

test('calls do not pile up', async () => {
  const agent = await connect()
  const waiting = Array.from({ length: 20 }, () => call({ ...HOME, timeout_seconds: 2 }))
  for (let count = 0; count < 20; count += 1) await agent.next('passthru')
  const { status, headers } = await server.call('POST', `/api/v1/printers/${printerId}/passthru/`, { body: HOME })
  expect([status, headers.get('retry-after')]).toEqual([429, '5'])
  await Promise.all(waiting)
})
