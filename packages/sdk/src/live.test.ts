import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClient } from './client.js'
import { type ScriptedServer, startScriptedServer } from './scripted-server.js'
import type { LiveOptions, LiveStatus, LiveSubscription } from './live.js'
import type { Printer } from './resources.js'

let server: ScriptedServer
const open: LiveSubscription[] = []

beforeEach(async () => {
  server = await startScriptedServer()
})
afterEach(async () => {
  for (const live of open.splice(0)) live.close()
  await server.close()
})

const printer = (id: number, fields: Partial<Printer> = {}): Printer =>
  ({ id, name: `Printer ${id}`, status: null, normalized_p: 0, ...fields }) as Printer

const state = (cursor: string, ...printers: Printer[]) => ({ state: { cursor, printers } })

function follow(options: Partial<LiveOptions> = {}, token = 'secret'): LiveSubscription {
  const live = createClient({ baseUrl: server.url, token }).live({ printers: 'all', retryDelayMs: () => 1, ...options })
  open.push(live)
  return live
}

/** Answers every subscription with this state. */
function answerWith(message: unknown): void {
  server.onLive((_request, socket) => socket.send(JSON.stringify(message)))
}

const until = (live: LiveSubscription, wanted: LiveStatus['state']) =>
  vi.waitFor(() => expect(live.status.state).toBe(wanted), { timeout: 5000, interval: 5 })

test('it subscribes with the token and holds the full state', async () => {
  answerWith(state('c1', printer(1), printer(2)))
  const onState = vi.fn()
  const live = follow({ onState })
  await until(live, 'live')
  expect(server.upgrades).toEqual([{ url: '/ws/live/', authorization: 'Bearer secret' }])
  expect(server.heard).toEqual([{ subscribe: { printers: 'all' } }])
  expect([...live.printers.keys()]).toEqual([1, 2])
  expect(onState).toHaveBeenCalledExactlyOnceWith([printer(1), printer(2)])
})

test('chosen printers are asked for by id', async () => {
  answerWith(state('c1'))
  await until(follow({ printers: [3, 4] }), 'live')
  expect(server.heard).toEqual([{ subscribe: { printers: [3, 4] } }])
})

test('each kind of message reaches its callback, after the printers were brought up to date', async () => {
  answerWith(state('c1', printer(1), printer(2)))
  const seen: unknown[] = []
  const live = follow({
    onChange: (whole, changes) => seen.push({ whole, changes, held: live.printers.get(1) }),
    onRemoved: (id) => seen.push({ id, has: live.printers.has(id) }),
    onCommand: (command) => seen.push(command),
    onEvent: (event) => seen.push(event),
  })
  await until(live, 'live')
  server.tell({ printer: { cursor: 'c2', id: 1, changes: { normalized_p: 0.7 } } })
  server.tell({ removed: { cursor: 'c3', id: 2 } })
  server.tell({ command: { id: 'x', status: 'acked' } })
  server.tell({ event: { id: 5, event_type: 'FAILURE_ALERTED' } })
  server.tell({ something_new: {} })
  await vi.waitFor(() => expect(seen).toHaveLength(4))
  const changed = printer(1, { normalized_p: 0.7 })
  expect(seen).toEqual([
    { whole: changed, changes: { normalized_p: 0.7 }, held: changed },
    { id: 2, has: false },
    { id: 'x', status: 'acked' },
    { id: 5, event_type: 'FAILURE_ALERTED' },
  ])
})

test.each([
  { name: 'a broken connection', code: undefined },
  { name: 'a server that restarts', code: 1012 },
])('after $name it comes back and says where it was', async ({ code }) => {
  answerWith(state('c1', printer(1)))
  const onStatus = vi.fn<(status: LiveStatus) => void>()
  const live = follow({ onStatus })
  await until(live, 'live')
  server.tell({ printer: { cursor: 'c2', id: 1, changes: { name: 'New' } } })
  await vi.waitFor(() => expect(live.printers.get(1)?.name).toBe('New'))
  server.dropLive(code)
  await vi.waitFor(() => expect(server.heard).toHaveLength(2))
  expect(server.heard[1]).toEqual({ subscribe: { printers: 'all' }, since: 'c2' })
  await until(live, 'live')
  expect(onStatus.mock.calls.map(([status]) => status.state)).toEqual(['live', 'waiting', 'connecting', 'live'])
})

test('a change of nothing makes it live, and is told to nobody', async () => {
  answerWith(state('c1', printer(1)))
  const onChange = vi.fn()
  const live = follow({ onChange })
  await until(live, 'live')
  answerWith({ printer: { cursor: 'c2', id: 1, changes: {} } })
  server.dropLive()
  await vi.waitFor(() => expect(server.heard).toHaveLength(2))
  await until(live, 'live')
  expect(live.printers.get(1)?.name).toBe('Printer 1')
  expect(onChange).not.toHaveBeenCalled()
})

test('it keeps trying while the server is away', async () => {
  server.refuseLive(503)
  const tries: number[] = []
  const live = follow({ retryDelayMs: (attempt) => tries.push(attempt) && 1 })
  await vi.waitFor(() => expect(tries.length).toBeGreaterThan(3))
  expect(tries.slice(0, 4)).toEqual([1, 2, 3, 4])
  server.refuseLive(undefined)
  answerWith(state('c1'))
  await until(live, 'live')
})

test.each([429, 503])('refused with %i, it waits as long as the server asks', async (status) => {
  server.refuseLive(status, 'retry-after: 7\r\n')
  const live = follow()
  await until(live, 'waiting')
  const { retryInMs } = live.status as Extract<LiveStatus, { state: 'waiting' }>
  expect(retryInMs).toBeGreaterThanOrEqual(7000)
  expect(retryInMs).toBeLessThanOrEqual(7500)
})

test('a change of a printer it does not know makes it ask for everything', async () => {
  answerWith(state('c1', printer(1)))
  const live = follow()
  await until(live, 'live')
  answerWith(state('c9', printer(1), printer(2)))
  server.tell({ printer: { cursor: 'c2', id: 2, changes: { normalized_p: 1 } } })
  await vi.waitFor(() => expect(live.printers.has(2)).toBe(true))
  expect(server.heard[1]).toEqual({ subscribe: { printers: 'all' } })
})

test.each([
  { name: 'refused at the door', begin: () => server.refuseLive(401) },
  { name: 'told that the token was revoked', begin: () => server.onLive((_message, socket) => socket.close(4401)) },
])('$name, it ends for good with the reason', async ({ begin }) => {
  begin()
  server.answerJson({ status: 401, code: 'token_revoked', title: 'Revoked', detail: 'The token was revoked.' }, 401)
  const live = follow()
  await until(live, 'closed')
  expect(live.status).toMatchObject({ state: 'closed', error: { code: 'token_revoked', status: 401 } })
  await expect(live.waitFor(() => false)).rejects.toMatchObject({ code: 'token_revoked' })
  expect(server.upgrades).toHaveLength(1)
})

test('a token without the scope is refused with 403', async () => {
  server.refuseLive(403)
  server.answerJson({ id: 1 })
  const live = follow()
  await until(live, 'closed')
  expect(live.status).toMatchObject({ error: { code: 'insufficient_scope' } })
})

test('a subscription that the server does not understand ends with its words', async () => {
  answerWith({ error: { code: 'invalid_request', detail: 'too many printers' } })
  const live = follow()
  await until(live, 'closed')
  expect(live.status).toMatchObject({ error: { code: 'invalid_request', detail: 'too many printers' } })
})

test('waitFor resolves to what was found, at once or later', async () => {
  answerWith(state('c1', printer(1)))
  const live = follow()
  const found = live.waitFor((printers) => printers.get(1))
  expect(await found).toEqual(printer(1))
  expect(await live.waitFor((printers) => printers.size)).toBe(1)
  const gauge = live.waitFor((printers) => (printers.get(1)?.normalized_p ?? 0) > 0.5)
  server.tell({ printer: { cursor: 'c2', id: 1, changes: { normalized_p: 0.4 } } })
  server.tell({ printer: { cursor: 'c3', id: 1, changes: { normalized_p: 0.6 } } })
  expect(await gauge).toBe(true)
})

test('waitFor is given up by its signal, and fails when the subscription is closed or its search throws', async () => {
  answerWith(state('c1', printer(1)))
  const live = follow()
  await until(live, 'live')
  const reason = new Error('enough')
  await expect(live.waitFor(() => false, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  await expect(
    live.waitFor(() => {
      throw reason
    }),
  ).rejects.toBe(reason)
  const waiting = live.waitFor(() => false)
  live.close()
  await expect(waiting).rejects.toThrow('the subscription was closed')
})

test('a signal closes it, and then nothing more is heard', async () => {
  answerWith(state('c1', printer(1)))
  const controller = new AbortController()
  const onStatus = vi.fn<(status: LiveStatus) => void>()
  const live = follow({ signal: controller.signal, onStatus })
  await until(live, 'live')
  controller.abort()
  expect(onStatus.mock.lastCall).toEqual([{ state: 'closed' }])
  server.tell({ printer: { cursor: 'c2', id: 1, changes: { name: 'New' } } })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(live.printers.get(1)?.name).toBe('Printer 1')
})
