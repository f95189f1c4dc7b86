import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiError } from '../errors.js'
import { END_EVENT_GRACE_MS } from '../prints/lifecycle.js'
import type { Database } from '../ports.js'
import { insertCommand } from '../printers/commands-store.js'
import { updatePrinter } from '../printers/store.js'
import { statusKey } from '../printers/live-keys.js'
import { type PrinterNotice, printerSubject, REVOKED_SUBJECT } from '../printers/notices.js'
import {
  type AgentServer,
  type AgentServerOptions,
  newEventId,
  Refused,
  startAgentServer,
  statusMessage,
  type TestAgent,
  until,
} from './testing.js'

const T = 1_795_000_000

let server: AgentServer
let agent: { id: number; token: string }

/** For most tests; each has a printer of its own. */
let shared: AgentServer

beforeAll(async () => {
  shared = await startAgentServer()
})

afterAll(() => shared.close())

beforeEach(async () => {
  server = shared
  agent = await server.addAgent()
})

afterEach(async () => {
  if (server !== shared) await server.close()
})

/** A server of its own for this test. */
async function startOwn(options: AgentServerOptions = {}): Promise<void> {
  server = await startAgentServer(options)
  agent = await server.addAgent()
}

const prints = () => {
  return server.db.selectFrom('prints').selectAll().where('printer_id', '=', agent.id).orderBy('id').execute()
}
const happenings = async () => {
  const query = server.db.selectFrom('printer_events').select('event_type').where('printer_id', '=', agent.id)
  return (await query.orderBy('id').execute()).map(({ event_type }) => event_type)
}
const say = (...args: Parameters<typeof statusMessage> extends [number, ...infer Rest] ? Rest : never) =>
  statusMessage(server.clock.time, ...args)

/** Connected, and told so. */
async function connected(token: string = agent.token): Promise<TestAgent> {
  const socket = await server.connect(token)
  await socket.next('remote_status')
  return socket
}

describe('the upgrade', () => {
  test.each([
    { name: 'without a token', headers: {} },
    { name: 'with a wrong token', headers: { authorization: `Bearer ${'0'.repeat(40)}` } },
    { name: 'with another scheme', headers: { authorization: 'Basic eDp5' } },
  ])('$name is answered by 401', async ({ headers }) => {
    const refused = await server.connect(undefined, ['agent.v1'], { headers }).catch((err: unknown) => err)
    expect(refused).toBeInstanceOf(Refused)
    const { status, body } = refused as Refused
    expect(status).toBe(401)
    expect(JSON.parse(body)).toMatchObject({ status: 401, code: 'unauthorized' })
  })

  test.each(['Bearer', 'bearer', 'Token', 'token'])('the scheme %s is fine', async (scheme) => {
    const headers = { authorization: `${scheme} ${agent.token}` }
    const socket = await server.connect(undefined, ['agent.v1'], { headers })
    expect(await socket.next('remote_status')).toEqual({ viewing: false, should_watch: false })
  })

  test('no subprotocol means agent.v1', async () => {
    const socket = await server.connect(agent.token, [])
    expect(await socket.next('remote_status')).toEqual({ viewing: false, should_watch: false })
  })

  test('another subprotocol is refused', async () => {
    await expect(server.connect(agent.token, ['agent.v9'])).rejects.toMatchObject({ status: 400 })
  })

  test('a plain request is told that this is a websocket', async () => {
    const response = await server.request('/ws/agent/', agent.token)
    expect(response.status).toBe(400)
  })

  test('the first frame says whether somebody looks and whether pictures are wanted', async () => {
    server.viewed.add(agent.id)
    const socket = await connected()
    socket.send(say('Printing', T, { event: { event_type: 'PrintStarted' } }))
    expect(await socket.next('remote_status')).toEqual({ should_watch: true })
    const again = await server.connect(agent.token)
    expect(await again.next('remote_status')).toEqual({ viewing: true, should_watch: true })
  })
})

describe('bad frames', () => {
  test.each([
    { name: 'malformed JSON', frame: '{"current_print_ts":', code: 4400 },
    { name: 'an empty frame', frame: '', code: 4400 },
    { name: 'a frame above 1 MiB', frame: 'x'.repeat(1024 * 1024 + 1), code: 4413 },
    { name: 'a frame of 2 MiB', frame: JSON.stringify({ pad: 'x'.repeat(2 * 1024 * 1024) }), code: 4413 },
    { name: 'a frame above 4 MiB', frame: 'x'.repeat(5 * 1024 * 1024), code: 1009 },
  ])('$name ends the connection with $code', async ({ frame, code }) => {
    const socket = await connected()
    socket.send(frame)
    expect(await socket.closed).toBe(code)
    // Nobody else is troubled, and the agent may come back.
    await connected()
    expect(server.log.errors).toEqual([])
  })

  test('binary frames are no JSON', async () => {
    const socket = await connected()
    socket.socket.send(Buffer.from('{}'))
    expect(await socket.closed).toBe(4400)
  })

  test('an invalid message is answered, not applied, and the socket stays open', async () => {
    const socket = await connected()
    const good = say('Printing', T, { event: { event_type: 'PrintStarted' } })
    const { _ts, ...rest } = good.status
    socket.send({ ...good, status: rest })
    expect(await socket.next('error')).toMatchObject({ code: 'invalid_message', path: 'status._ts' })
    expect(await prints()).toEqual([])
    socket.send(good)
    await socket.settled()
    expect(await prints()).toHaveLength(1)
    expect(_ts).toBeGreaterThan(0)
  })

  test('a message nested too deep is answered, and the socket stays open', async () => {
    const socket = await connected()
    socket.send(`{"current_print_ts":-1,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
    expect(await socket.next('error')).toMatchObject({ code: 'invalid_message' })
    await socket.settled()
  })

  test('a flood ends the connection with 4429, and what the server reads stays bounded', async () => {
    const other = await server.addAgent()
    const calm = await connected(other.token)
    const socket = await connected()
    const frame = JSON.stringify(say('Operational', -1))
    for (let count = 0; count < 5000; count += 1) socket.send(frame)
    expect(await socket.closed).toBe(4429)
    calm.send(say('Operational', -1))
    await calm.settled()
  })

  test('large frames count as many', async () => {
    const socket = await connected()
    const frame = JSON.stringify({ ...say('Operational', -1), pad: 'x'.repeat(1_000_000) })
    for (let count = 0; count < 10; count += 1) socket.send(frame)
    expect(await socket.closed).toBe(4429)
  })
})

test('every valid fixture is applied, every invalid one is answered as it says', async () => {
  const folder = new URL('../../../../test/fixtures/messages/', import.meta.url)
  for (const kind of ['valid', 'invalid']) {
    for (const name of readdirSync(new URL(`${kind}/`, folder))) {
      const fixture = JSON.parse(readFileSync(new URL(`${kind}/${name}`, folder), 'utf8')) as {
        message?: unknown
        raw?: string | (string | { repeat: string; times: number })[]
        expect?: { error?: object; close?: number }
      }
      const parts = [fixture.raw ?? JSON.stringify(fixture.message)].flat()
      const socket = await connected()
      socket.send(parts.map((part) => (typeof part === 'string' ? part : part.repeat.repeat(part.times))).join(''))
      if (fixture.expect?.close !== undefined) {
        expect(await socket.closed, name).toBe(fixture.expect.close)
        continue
      }
      if (fixture.expect?.error !== undefined)
        expect(await socket.next('error'), name).toMatchObject(fixture.expect.error)
      await socket.settled()
      expect(
        socket.received.filter((frame) => 'error' in frame),
        name,
      ).toEqual([])
    }
  }
  expect(server.log.errors).toEqual([])
})

describe('two agents with one token', () => {
  test('the newer one replaces the older one, and keeps its status', async () => {
    const first = await connected()
    first.send(say('Operational', -1))
    await first.settled()
    const second = await connected()
    expect(await first.closed).toBe(4321)
    second.send(say('Operational', -1, { status: { currentZ: 2 } }))
    await second.settled()
    expect(await server.live.get(statusKey(agent.id))).toMatchObject({ currentZ: 2 })
  })

  test('of many that come at once one stays, and commands reach it', async () => {
    const sockets = await Promise.all(Array.from({ length: 8 }, () => server.connect(agent.token)))
    const codes = sockets.map(() => 0)
    sockets.forEach((socket, index) => void socket.closed.then((code) => (codes[index] = code)))
    await until(() => codes.filter((code) => code === 4321).length === 7 || undefined, 'seven to be replaced')
    const last = sockets.find((_, index) => codes[index] === 0)
    await last?.next('remote_status')
    await until(
      async () =>
        (await server.printers.send(agent, { cmd: 'pause', args: {}, initiator: 'api' })).succeeded || undefined,
      'the command to be handed over',
    )
    expect(await last?.next('commands')).toMatchObject([{ cmd: 'pause' }])
  })

  test('an old connection that ends late does not wipe away what the new one reports', async () => {
    const first = await connected()
    const second = await connected()
    second.send(say('Operational', -1, { status: { currentZ: 5 } }))
    await second.settled()
    await first.closed
    await second.settled()
    expect(await server.live.get(statusKey(agent.id))).toMatchObject({ currentZ: 5 })
  })
})

describe('a print over the wire', () => {
  test('events are acknowledged, duplicates too, and counted once', async () => {
    const socket = await connected()
    const event = { event_type: 'PrintStarted', id: newEventId(), age_ms: 0 }
    for (let time = 0; time < 3; time += 1) {
      socket.send(say('Printing', T, { event }))
      expect(await socket.next('ack')).toEqual({ events: [event.id] })
    }
    expect(await happenings()).toEqual(['STARTED'])
  })

  test('goes on after the agent was killed and came back with the same current_print_ts', async () => {
    const first = await connected()
    first.send(say('Printing', T, { event: { event_type: 'PrintStarted', id: newEventId() } }))
    await first.next('ack')
    await first.kill()
    await until(async () => (await server.live.get(statusKey(agent.id))) === undefined || undefined, 'offline')
    server.clock.time += 30_000
    const second = await server.connect(agent.token)
    expect(await second.next('remote_status')).toEqual({ viewing: false, should_watch: true })
    second.send(say('Printing', T))
    second.send(say('Operational', T, { event: { event_type: 'PrintDone', id: newEventId() } }))
    await second.next('ack')
    expect(await prints()).toMatchObject([{ current_print_ts: T, state: 'finished' }])
    expect(await happenings()).toEqual(['STARTED', 'ENDED'])
  })

  test('what was sent before the connection was cut is applied', async () => {
    const socket = await connected()
    for (let step = 0; step < 100; step += 1) socket.send(say('Printing', T, { status: { currentZ: step } }))
    socket.send(say('Operational', T, { event: { event_type: 'PrintDone', id: newEventId() } }))
    socket.socket.close()
    await socket.closed
    await until(async () => (await prints())[0]?.state === 'finished' || undefined, 'the end of the print')
  })

  test('that the agent stops naming ends after the grace, without another message', async () => {
    const socket = await connected()
    socket.send(say('Printing', T, { event: { event_type: 'PrintStarted' } }))
    await socket.settled()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      socket.send(say('Operational', -1))
      await socket.settled()
      expect((await prints())[0]?.state).toBe('running')
      server.clock.time += END_EVENT_GRACE_MS
      vi.advanceTimersByTime(END_EVENT_GRACE_MS)
      await until(async () => (await prints())[0]?.state === 'cancelled' || undefined, 'the end of the print')
    } finally {
      vi.useRealTimers()
    }
  })

  test('messages are applied in order, though some of them need the database', async () => {
    const socket = await connected()
    const types = ['PrintStarted', 'PrintPaused', 'PrintResumed', 'PrintPaused', 'PrintResumed', 'PrintDone']
    const ids = types.map((event_type) => {
      const id = newEventId()
      socket.send(say('Printing', T, { event: { event_type, id } }))
      return id
    })
    const acks: unknown[] = []
    for (const _ of ids) acks.push(await socket.next('ack'))
    expect(acks).toEqual(ids.map((id) => ({ events: [id] })))
    expect(await happenings()).toEqual(['STARTED', 'PAUSED', 'RESUMED', 'PAUSED', 'RESUMED', 'ENDED'])
  })
})

describe('commands', () => {
  test('reach the agent, and its answers move them on', async () => {
    const socket = await connected()
    const pause = { cmd: 'pause', args: { retract: 6.5 }, initiator: 'web' } as const
    const { succeeded, command_id } = await server.printers.send(agent, pause)
    expect(succeeded).toBe(true)
    const commands = await socket.next('commands')
    expect(commands).toEqual([{ id: command_id, ...pause, expires_in_ms: expect.any(Number) }])
    socket.send({ ack: { id: command_id, result: null } })
    const status = async () => {
      const row = await server.db.selectFrom('commands').selectAll().where('id', '=', command_id).executeTakeFirst()
      return row?.status
    }
    await until(async () => (await status()) === 'acked' || undefined, 'the acknowledgement')
    socket.send(say('Paused', T))
    await until(async () => (await status()) === 'done' || undefined, 'the effect')
  })

  test('that were told to have failed do not reach the agent any more', async () => {
    const socket = await connected()
    const command = (id: string) => ({
      type: 'command',
      id,
      cmd: 'pause',
      args: {},
      initiator: 'web',
      expires_in_ms: 1,
    })
    const late = '00000000-0000-4000-8000-000000000001'
    const rest = {
      acked_at: null,
      done_at: server.clock.time,
      error: 'not_connected',
      initiator_name: null,
      reason: null,
    }
    await insertCommand(server.db, {
      ...{ id: late, printer_id: agent.id, cmd: 'pause', status: 'failed', created_at: server.clock.time },
      ...{ ...rest, initiator: 'web' },
    })
    expect(await server.bus.request(`agent.${agent.id}`, command(late), 1000)).toBeUndefined()
    const { command_id } = await server.printers.send(agent, { cmd: 'pause', args: {}, initiator: 'web' })
    expect(await socket.next('commands')).toMatchObject([{ id: command_id }])
  })

  test('without an agent do not succeed', async () => {
    const socket = await connected()
    await socket.kill()
    await until(
      async () =>
        !(await server.printers.send(agent, { cmd: 'pause', args: {}, initiator: 'api' })).succeeded || undefined,
      'the agent to be gone',
    )
  })

  test('a remote status on the bus reaches the agent', async () => {
    const socket = await connected()
    await server.bus.request(`agent.${agent.id}`, { type: 'remote_status', viewing: true }, 1000)
    expect(await socket.next('remote_status')).toEqual({ viewing: true })
  })
})

describe('the end of a connection', () => {
  test('a token that no longer counts closes it with 4401', async () => {
    const other = await server.addAgent()
    const untouched = await connected(other.token)
    const socket = await connected()
    await updatePrinter(server.db, agent.id, { auth_token_hash: 'another' })
    server.bus.publish(REVOKED_SUBJECT, { type: 'printer', printer_id: agent.id })
    expect(await socket.closed).toBe(4401)
    await untouched.settled()
  })

  test('a token that no longer counts closes it in the end, though the notice of that was lost', async () => {
    await startOwn({ limits: { checkIntervalMs: 50 } })
    const other = await server.addAgent()
    const untouched = await connected(other.token)
    const socket = await connected()
    await updatePrinter(server.db, agent.id, { auth_token_hash: 'another' })
    expect(await socket.closed).toBe(4401)
    await untouched.settled()
    expect(untouched.socket.readyState).toBe(untouched.socket.OPEN)
  })

  test('a database that is away ends no agent: it would stop for good', async () => {
    let isAway = false
    let asked = 0
    const wrap = (database: Database): Database => ({
      ...database,
      get quick() {
        if (!isAway) return database.quick
        asked += 1
        throw new ApiError('unavailable', 'The database cannot be reached.')
      },
    })
    await startOwn({ wrap, limits: { checkIntervalMs: 50 } })
    const socket = await connected()
    isAway = true
    server.bus.publish(REVOKED_SUBJECT, { type: 'user', user_id: server.userId })
    await until(async () => asked > 2 || undefined, 'the look-ups')
    isAway = false
    await socket.settled()
    expect(socket.socket.readyState).toBe(socket.socket.OPEN)
    // What could not be found out then is found out later.
    await updatePrinter(server.db, agent.id, { auth_token_hash: 'another' })
    expect(await socket.closed).toBe(4401)
    expect(server.log.errors.splice(0)).not.toEqual([])
  })

  test('a notice that changes nothing for the agent leaves it alone', async () => {
    const socket = await connected()
    server.bus.publish(REVOKED_SUBJECT, { type: 'user', user_id: server.userId })
    server.bus.publish(REVOKED_SUBJECT, { type: 'token', token_id: 1 })
    await socket.settled()
    expect(socket.socket.readyState).toBe(socket.socket.OPEN)
  })

  test('a stopping server closes with 1012 and applies what it was sent', async () => {
    await startOwn()
    const socket = await connected()
    socket.send(say('Printing', T, { event: { event_type: 'PrintStarted', id: newEventId() } }))
    await socket.next('ack')
    await server.sockets.close()
    expect(await socket.closed).toBe(1012)
    expect(await prints()).toHaveLength(1)
  })

  test('the printer is offline at once, and everybody is told', async () => {
    const notices: PrinterNotice[] = []
    server.bus.subscribe(printerSubject(agent.id), (notice) => void notices.push(notice as PrinterNotice))
    const socket = await connected()
    socket.send(say('Operational', -1))
    await socket.settled()
    await socket.kill()
    await until(() => (notices.at(-1)?.type === 'status' && notices.length === 2 ? true : undefined), 'the notice')
    expect(notices.at(-1)).toEqual({ type: 'status', status: null })
  })
})

test('a silent agent is closed with 4408, one that answers pings is not', async () => {
  await startOwn({ limits: { pingIntervalMs: 50 } })
  const other = await server.addAgent()
  const silent = await server.connect(agent.token, ['agent.v1'], { autoPong: false })
  const alive = await connected(other.token)
  expect(await silent.closed).toBe(4408)
  await alive.settled()
})

test('an agent that does not read is cut off before its answers fill the memory', async () => {
  await startOwn({ limits: { messages: { perSecond: 1e6, burst: 1e6 }, maxUnreadBytes: 10_000 } })
  const socket = await connected()
  socket.socket.pause()
  const wrong = JSON.stringify({ current_print_ts: 'x'.repeat(10) })
  for (let count = 0; count < 50_000 && socket.socket.readyState === socket.socket.OPEN; count += 1) {
    socket.send(wrong)
    if (count % 1000 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  socket.socket.resume()
  expect([4408, 1006]).toContain(await socket.closed)
})

test('an event that cannot be stored is not acknowledged, and the agent is sent away to try again', async () => {
  let isBroken = false
  const wrap = (database: Database): Database => ({
    ...database,
    transaction: (work) => (isBroken ? Promise.reject(new Error('the disk is full')) : database.transaction(work)),
  })
  await startOwn({ wrap })
  const event = { event_type: 'PrintStarted', id: newEventId() }
  isBroken = true
  const first = await connected()
  first.send(say('Printing', T, { event }))
  expect(await first.closed).toBe(1011)
  expect(first.received).toEqual([])
  isBroken = false
  const second = await connected()
  second.send(say('Printing', T, { event }))
  expect(await second.next('ack')).toEqual({ events: [event.id] })
  expect(await happenings()).toEqual(['STARTED'])
})
