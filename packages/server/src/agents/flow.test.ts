import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flagsOf, type PrintEventType, type ServerToAgent, type StateText, StatusMessage } from '@printwarden/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { memoryBus } from '../adapters/bus-memory.js'
import { memoryLiveStore } from '../adapters/live-memory.js'
import { openTestDatabase } from '../adapters/testing.js'
import { END_EVENT_GRACE_MS } from '../prints/lifecycle.js'
import type { PrintRow } from '../prints/store.js'
import type { KeptReading } from '../prints/temperatures.js'
import type { Bus, Database, LiveStore, Log } from '../ports.js'
import { printerFlow } from '../printers/flow.js'
import { STATUS_TTL_MS, statusKey } from '../printers/live-keys.js'
import { type PrinterNotice, printerSubject } from '../printers/notices.js'
import { deletePrinter, findPrinter, insertPrinter, updatePrinter } from '../printers/store.js'
import { type AgentFlow, agentFlow, type AgentSession } from './flow.js'

const START = 1_795_000_000_000
const T = START / 1000
const OWNER = { printer_id: 7, user_id: 1 }
const file = { name: 'a.gcode', path: 'a.gcode', display: 'a.gcode' }
const uuid = (n: number) => `a1b2c3d4-0000-4000-8000-${String(n).padStart(12, '0')}`

let folder: string
let now: number
let database: Database
let bus: Bus
let live: LiveStore
let agents: AgentFlow
let notices: PrinterNotice[]
let detection: string[]
let statements: number
let readings: KeptReading[]

const clock = { now: () => now }
const log: Log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} }

/** The database, counting what is asked of it. */
function counted(inner: Database): Database {
  const db = new Proxy(inner.db, {
    get(target, name) {
      if (['selectFrom', 'insertInto', 'updateTable', 'deleteFrom'].includes(String(name))) statements += 1
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return {
    ...inner,
    db,
    transaction(work) {
      statements += 1
      return inner.transaction(work)
    },
  }
}

function openFlow(changes: { database?: Database } = {}): AgentFlow {
  const deps = { database: counted(database), bus, live, clock, log, ...changes }
  return agentFlow({
    ...deps,
    printers: printerFlow(deps),
    detection: {
      reset: (id) => void detection.push(`reset ${id}`),
      warmUp: (id) => void detection.push(`warm up ${id}`),
    },
    noteEnded: async () => {},
    temperatures: { add: (reading) => void readings.push(reading) },
  })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'printwarden-agents-'))
  database = await openTestDatabase(folder)
  const user = { email: 'owner@example.com', password_hash: '-', date_joined: START, unsub_token: '-' }
  const users = database.db.insertInto('users')
  await users.values({ ...user, id: OWNER.user_id }).execute()
})

afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  now = START
  statements = 0
  readings = []
  notices = []
  detection = []
  bus = memoryBus(log)
  live = memoryLiveStore(clock)
  bus.subscribe(printerSubject(OWNER.printer_id), (notice) => void notices.push(notice as PrinterNotice))
  const printer = { name: 'mk3', created_at: START, auth_token_encrypted: '-', auth_token_hash: '-' }
  await insertPrinter(database.db, { ...printer, id: OWNER.printer_id, user_id: OWNER.user_id })
  agents = openFlow()
})

afterEach(async () => {
  await deletePrinter(database.db, OWNER.printer_id)
})

interface Told {
  text?: StateText
  ts?: number
  event?: PrintEventType
  id?: string
  age_ms?: number
  /** When the status was collected, in milliseconds. */
  collected?: number
  status?: object
  settings?: object
}

function message({
  text = 'Printing',
  ts = T,
  event,
  id,
  age_ms,
  collected = now,
  status,
  settings,
}: Told): StatusMessage {
  return StatusMessage.parse({
    current_print_ts: ts,
    ...(event && { event: { event_type: event, ...(id && { id }), ...(age_ms !== undefined && { age_ms }) } }),
    ...(settings && { settings }),
    status: { _ts: collected / 1000, state: { text, flags: flagsOf(text) }, job: { file }, ...status },
  })
}

async function connect(flow: AgentFlow = agents): Promise<AgentSession> {
  const opened = await flow.open(OWNER)
  if (opened === undefined) throw new Error('no printer')
  return opened.session
}

const tell = (session: AgentSession, told: Told): Promise<ServerToAgent | undefined> =>
  agents.apply(session, message(told))

const prints = (): Promise<PrintRow[]> => database.db.selectFrom('prints').selectAll().orderBy('id').execute()
/** Prints by their place in the printer's life: the first, the second … */
const history = async (): Promise<string[]> => {
  const ids = (await prints()).map(({ id }) => id)
  const rows = await database.db.selectFrom('printer_events').selectAll().orderBy('id').execute()
  return rows.map(({ event_type, print_id, created_at }) => {
    return `${event_type} ${print_id === null ? '-' : ids.indexOf(print_id) + 1} +${created_at - START}`
  })
}
const currentPrint = async (): Promise<PrintRow | undefined> => {
  const printer = await findPrinter(database.db, OWNER.printer_id)
  return (await prints()).find(({ id }) => id === printer?.current_print_id)
}
/** Notices are told after the step that causes them. */
const settled = () => new Promise((resolve) => setImmediate(resolve))
const typesOf = async (): Promise<string[]> => {
  await settled()
  return notices.splice(0).map(({ type }) => type)
}

describe('a print', () => {
  test('starts: row, current print, history, acknowledgement, notices', async () => {
    const session = await connect()
    now += 1000
    const answer = await tell(session, { event: 'PrintStarted', id: uuid(1), age_ms: 400 })
    expect(answer).toEqual({ ack: { events: [uuid(1)] }, remote_status: { should_watch: true } })
    const [print] = await prints()
    expect(print).toMatchObject({
      printer_id: 7,
      user_id: 1,
      current_print_ts: T,
      state: 'running',
      filename: 'a.gcode',
      started_at: START + 600,
      finished_at: null,
      cancelled_at: null,
      failed_at: null,
      end_assumed: 0,
    })
    expect(await currentPrint()).toEqual(print)
    expect(await history()).toEqual(['STARTED 1 +600'])
    expect(await typesOf()).toEqual(['status', 'row', 'event'])
    expect(detection).toEqual(['reset 7'])
  })

  test('runs without SQL as long as nothing durable changes', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted' })
    await typesOf()
    statements = 0
    for (let step = 1; step <= 50; step += 1) {
      now += 1000
      expect(await tell(session, { status: { progress: { completion: step, printTime: step } } })).toBeUndefined()
    }
    expect(statements).toBe(0)
    expect(new Set(await typesOf())).toEqual(new Set(['status']))
    now += 1000
    await tell(session, { text: 'Operational', event: 'PrintDone' })
    expect((await prints())[0]).toMatchObject({ print_time: 50 })
  })

  test('pauses, resumes and finishes, each once', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted' })
    for (const [text, event] of [
      ['Pausing', 'PrintPaused'],
      ['Paused', undefined],
      ['Printing', 'PrintResumed'],
      ['Printing', undefined],
      ['Operational', 'PrintDone'],
    ] as const) {
      now += 10_000
      await tell(session, {
        text,
        ...(event && { event }),
        status: { progress: { filamentUsed: 120.5, printTime: 41 } },
      })
    }
    now += 10_000
    await tell(session, { text: 'Operational', ts: -1 })
    expect(await history()).toEqual(['STARTED 1 +0', 'PAUSED 1 +10000', 'RESUMED 1 +30000', 'ENDED 1 +50000'])
    expect(await prints()).toMatchObject([
      { state: 'finished', finished_at: START + 50_000, cancelled_at: null, print_time: 41, filament_used: 120.5 },
    ])
    expect(await currentPrint()).toBeUndefined()
    expect(detection).toEqual(['reset 7', 'warm up 7', 'reset 7'])
  })

  test('that failed counts as cancelled too', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted' })
    const answer = await tell(session, { text: 'Operational', event: 'PrintFailed', id: uuid(2) })
    expect(answer).toEqual({ ack: { events: [uuid(2)] }, remote_status: { should_watch: false } })
    expect(await prints()).toMatchObject([
      { state: 'failed', failed_at: START, cancelled_at: START, finished_at: null },
    ])
  })

  test('makes room for the next one', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted', status: { progress: { completion: 100 } } })
    now += 5000
    await tell(session, { ts: T + 5 })
    expect(await prints()).toMatchObject([
      { current_print_ts: T, state: 'finished', end_assumed: 1, finished_at: START + 5000 },
      { current_print_ts: T + 5, state: 'running', started_at: START + 5000 },
    ])
    expect((await currentPrint())?.current_print_ts).toBe(T + 5)
    expect(await history()).toEqual(['STARTED 1 +0', 'ENDED 1 +5000', 'STARTED 2 +5000'])
  })

  test('of which nothing more is heard than −1 ends after the grace', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted', id: uuid(1) })
    now += 1000
    await tell(session, { text: 'Operational', ts: -1 })
    expect(await agents.settle(session)).toBeUndefined()
    expect(await prints()).toMatchObject([{ state: 'running' }])
    now += END_EVENT_GRACE_MS
    expect(await agents.settle(session)).toEqual({ remote_status: { should_watch: false } })
    expect(await prints()).toMatchObject([{ state: 'cancelled', cancelled_at: START + 1000, end_assumed: 1 }])
    // The event was only slow: it still tells the truth.
    now += 1000
    await tell(session, { event: 'PrintDone', id: uuid(2), age_ms: 6500, collected: START + 500 })
    expect(await prints()).toMatchObject([
      { state: 'finished', finished_at: START + 500, cancelled_at: null, end_assumed: 0 },
    ])
  })

  test('that has ended is named once more without a look-up each time', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted' })
    await tell(session, { text: 'Operational', event: 'PrintDone' })
    await tell(session, { text: 'Operational' })
    statements = 0
    for (let step = 0; step < 10; step += 1) await tell(session, { text: 'Operational' })
    expect(statements).toBe(0)
    expect(await prints()).toHaveLength(1)
  })
})

describe('temperatures', () => {
  const warm = (actual: number) => ({ status: { temperatures: { tool0: { actual, target: 215 } } } })
  const kept = () => readings.map(({ at, heaters }) => `+${at - START} ${heaters['tool0']?.[0]}`)

  test.each(['PrintFailed', 'PrintDone', 'PrintCancelled'] as const)(
    'that come with %s are the last of the print, and later ones are not of it',
    async (event) => {
      const session = await connect()
      await tell(session, { event: 'PrintStarted', ...warm(215) })
      now += 5000
      await tell(session, warm(214))
      now += 1000
      await tell(session, { text: 'Operational', event, ...warm(90) })
      now += 1000
      await tell(session, { text: 'Operational', ...warm(40) })
      await tell(session, { text: 'Operational', ts: -1, ...warm(30) })
      expect(kept()).toEqual(['+6000 90'])
      expect(readings[0]?.print_id).toBe((await prints())[0]?.id)
    },
  )

  test('of the next print are not of the one before', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted', ...warm(215) })
    now += 5000
    await tell(session, { ts: T + 5, ...warm(60) })
    now += 60_000
    await tell(session, { ts: T + 5, ...warm(61) })
    const [first, second] = await prints()
    expect(kept()).toEqual(['+0 215', '+5000 60', '+65000 61'])
    expect(readings.map(({ print_id }) => print_id)).toEqual([first?.id, second?.id, second?.id])
  })

  test('that were read last before the socket closed are kept, once', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted', ...warm(215) })
    now += 5000
    await tell(session, warm(120))
    await agents.close(session)
    await agents.close(session)
    expect(kept()).toEqual(['+5000 120'])
  })
})

describe('events', () => {
  test('count once, however often they are sent, and are acknowledged each time', async () => {
    const session = await connect()
    for (let time = 0; time < 3; time += 1) {
      now += 1000
      const answer = await tell(session, { event: 'PrintStarted', id: uuid(1) })
      expect(answer?.ack).toEqual({ events: [uuid(1)] })
    }
    await tell(session, { event: 'PrintPaused', id: uuid(2) })
    await tell(session, { event: 'PrintResumed', id: uuid(3) })
    await tell(session, { event: 'PrintPaused', id: uuid(2) })
    expect(await history()).toEqual(['STARTED 1 +1000', 'PAUSED 1 +3000', 'RESUMED 1 +3000'])
    expect(await prints()).toMatchObject([{ state: 'running' }])
  })

  test('that change nothing are stored and acknowledged too', async () => {
    const session = await connect()
    const answer = await tell(session, { ts: -1, event: 'PrintPaused', id: uuid(9), text: 'Operational' })
    expect(answer).toEqual({ ack: { events: [uuid(9)] } })
    expect(await database.db.selectFrom('agent_events').selectAll().execute()).toEqual([
      { printer_id: 7, event_id: uuid(9), received_at: START },
    ])
  })

  test('of a late message count, its status does not', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted' })
    now += 60_000
    await tell(session, { status: { currentZ: 9 } })
    const answer = await tell(session, {
      event: 'PrintPaused',
      id: uuid(1),
      age_ms: 30_000,
      collected: START + 30_000,
      text: 'Paused',
    })
    expect(answer).toEqual({ ack: { events: [uuid(1)] } })
    expect(await live.get(statusKey(7))).toMatchObject({ currentZ: 9 })
    expect(await history()).toEqual(['STARTED 1 +0', 'PAUSED 1 +30000'])
  })

  test('of prints from before come in order after an outage, though the newest status came first', async () => {
    const first = await connect()
    await tell(first, { event: 'PrintStarted', id: uuid(1) })
    await agents.close(first)
    now += 3_600_000
    const session = await connect()
    // The second print runs; of the first one's end nothing is known yet.
    await tell(session, { ts: T + 1800 })
    await tell(session, {
      event: 'PrintDone',
      id: uuid(2),
      age_ms: 2_400_000,
      collected: START + 1_200_000,
      text: 'Operational',
    })
    await tell(session, {
      ts: T + 1800,
      event: 'PrintStarted',
      id: uuid(3),
      age_ms: 1_800_000,
      collected: START + 1_800_000,
    })
    expect(await prints()).toMatchObject([
      { state: 'finished', started_at: START, finished_at: START + 1_200_000, cancelled_at: null, end_assumed: 0 },
      { state: 'running', started_at: START + 1_800_000 },
    ])
    expect((await currentPrint())?.current_print_ts).toBe(T + 1800)
  })

  test('are not acknowledged when they could not be stored, and count when they are sent again', async () => {
    let isBroken = true
    const broken: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (trx) => {
          const result = await work(trx)
          if (isBroken) throw new Error('the disk is full')
          return result
        }),
    }
    agents = openFlow({ database: broken })
    const session = await connect()
    const start = { event: 'PrintStarted', id: uuid(1) } as const
    await expect(tell(session, start)).rejects.toThrow('the disk is full')
    expect(await prints()).toEqual([])
    expect(await history()).toEqual([])
    isBroken = false
    expect((await tell(session, start))?.ack).toEqual({ events: [uuid(1)] })
    expect(await prints()).toHaveLength(1)
    expect(await history()).toEqual(['STARTED 1 +0'])
  })

  test('are counted once when two connections bring the same one', async () => {
    const [one, two] = [await connect(), await connect()]
    const answers = await Promise.all([
      tell(one, { event: 'PrintStarted', id: uuid(1) }),
      tell(two, { event: 'PrintStarted', id: uuid(1) }),
    ])
    expect(answers.map((answer) => answer?.ack)).toEqual([{ events: [uuid(1)] }, { events: [uuid(1)] }])
    await tell(two, { event: 'PrintPaused', id: uuid(2) })
    await tell(one, { event: 'PrintResumed', id: uuid(3) })
    expect(await history()).toEqual(['STARTED 1 +0', 'PAUSED 1 +0', 'RESUMED 1 +0'])
    expect(await prints()).toMatchObject([{ state: 'running' }])
  })
})

describe('a connection', () => {
  test('that closes shows the printer as offline at once and keeps the print', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted' })
    await typesOf()
    await agents.close(session)
    await settled()
    expect(notices).toEqual([{ type: 'status', status: null }])
    expect(await live.get(statusKey(7))).toBeUndefined()
    expect(await prints()).toMatchObject([{ state: 'running' }])
    const again = await connect()
    await tell(again, {})
    expect(await prints()).toHaveLength(1)
    expect(await history()).toHaveLength(1)
  })

  test('to a server that was killed goes on with the same print', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted', id: uuid(1) })
    await tell(session, { event: 'PrintPaused', id: uuid(2) })
    live = memoryLiveStore(clock)
    agents = openFlow()
    now += 20_000
    const again = await connect()
    await tell(again, { event: 'PrintStarted', id: uuid(1), age_ms: 20_000 })
    await tell(again, { event: 'PrintResumed', id: uuid(3) })
    expect(await prints()).toMatchObject([{ state: 'running', started_at: START }])
    expect(await history()).toEqual(['STARTED 1 +0', 'PAUSED 1 +0', 'RESUMED 1 +20000'])
  })

  test('remembers how far the print was while it was away', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted', status: { progress: { completion: 100, printTime: 77 } } })
    await agents.close(session)
    now += 60_000
    await tell(await connect(), { ts: T + 60, event: 'PrintStarted' })
    expect((await prints())[0]).toMatchObject({ state: 'finished', print_time: 77 })
  })

  test('is told whether the printer is watched', async () => {
    expect((await agents.open(OWNER))?.should_watch).toBe(false)
    const session = await connect()
    await tell(session, { event: 'PrintStarted' })
    expect((await agents.open(OWNER))?.should_watch).toBe(true)
    await updatePrinter(database.db, 7, { watching_enabled: 0 })
    expect((await agents.open(OWNER))?.should_watch).toBe(false)
    expect(await tell(session, { event: 'PrintDone' })).toEqual({ remote_status: { should_watch: false } })
  })

  test('of a printer that is gone is not opened', async () => {
    expect(await agents.open({ printer_id: 99, user_id: 1 })).toBeUndefined()
  })

  test('that is silent for two minutes shows the printer as offline, once', async () => {
    const session = await connect()
    await tell(session, { ts: -1, text: 'Operational' })
    now += STATUS_TTL_MS - 1
    agents.expire(session)
    expect(await typesOf()).toEqual(['status'])
    now += 1
    agents.expire(session)
    agents.expire(session)
    await settled()
    expect(notices).toEqual([{ type: 'status', status: null }])
  })
})

describe('the order of messages', () => {
  const z = async () => (await live.get(statusKey(7))) as { currentZ?: number } | undefined

  test.each([
    { name: 'an older status is not applied', collected: START - 1, expected: 1 },
    { name: 'an equal one is', collected: START, expected: 2 },
    { name: 'a newer one is', collected: START + 1, expected: 2 },
    { name: 'one from the far future counts as of its arrival', collected: START + 1e9, expected: 2 },
  ])('$name', async ({ collected, expected }) => {
    const session = await connect()
    await tell(session, { ts: -1, text: 'Operational', collected: START, status: { currentZ: 1 } })
    await tell(session, { ts: -1, text: 'Operational', collected, status: { currentZ: 2 } })
    expect((await z())?.currentZ).toBe(expected)
    expect((await typesOf()).length).toBe(expected)
  })

  test('a wrong clock does not freeze the printer', async () => {
    const session = await connect()
    await tell(session, { ts: -1, text: 'Operational', collected: START + 1e9, status: { currentZ: 1 } })
    now += 1000
    await tell(session, { ts: -1, text: 'Operational', collected: now, status: { currentZ: 2 } })
    expect((await z())?.currentZ).toBe(2)
  })

  test('after two minutes of silence the mark is forgotten', async () => {
    const session = await connect()
    await tell(session, { ts: -1, text: 'Operational', collected: START, status: { currentZ: 1 } })
    now += STATUS_TTL_MS
    await tell(session, { ts: -1, text: 'Operational', collected: START - 1e9, status: { currentZ: 2 } })
    expect((await z())?.currentZ).toBe(2)
  })

  test('an older message that names another print is not applied either', async () => {
    const session = await connect()
    await tell(session, { event: 'PrintStarted' })
    await tell(session, { ts: T - 50, collected: START - 50_000 })
    expect(await prints()).toHaveLength(1)
  })
})

describe('settings', () => {
  const agent = { name: 'printwarden-agent', version: '0.1.0' }
  const stored = async () => {
    const printer = await findPrinter(database.db, 7)
    return { ...printer, settings: JSON.parse(printer?.settings ?? '') as unknown }
  }
  const report = (session: AgentSession, settings: object) => tell(session, { ts: -1, text: 'Operational', settings })

  test('are merged key by key, and written only when they change', async () => {
    const session = await connect()
    await report(session, { webcams: [{ name: 'bed', stream_id: 1 }], agent })
    expect(await stored()).toMatchObject({ agent_name: agent.name, agent_version: agent.version })
    expect(await typesOf()).toEqual(['status', 'row'])
    statements = 0
    await report(session, { webcams: [{ name: 'bed', stream_id: 1 }], agent })
    await report(session, { agent })
    expect(statements).toBe(0)
    expect(await typesOf()).toEqual(['status', 'status'])
    await report(session, { temperature: { profiles: [{ name: 'PLA' }] }, agent })
    expect((await stored()).settings).toEqual({
      webcams: [{ name: 'bed', stream_id: 1 }],
      temperature: { profiles: [{ name: 'PLA' }] },
      agent,
    })
  })

  test('survive a reconnect without being reported again', async () => {
    const first = await connect()
    await report(first, { webcams: [], agent })
    await agents.close(first)
    const second = await connect()
    await report(second, { shiny: 1, agent })
    expect((await stored()).settings).toEqual({ webcams: [], shiny: 1, agent })
  })

  test('that are far too large are refused; the rest of the message counts', async () => {
    const session = await connect()
    const answer = await tell(session, {
      event: 'PrintStarted',
      id: uuid(1),
      settings: { junk: 'x'.repeat(300_000), agent },
    })
    expect(answer).toMatchObject({ error: { code: 'too_large', path: 'settings' }, ack: { events: [uuid(1)] } })
    expect((await stored()).settings).toEqual({})
    expect(await prints()).toHaveLength(1)
  })
})

test('a print that was deleted meanwhile does not trouble its agent', async () => {
  const session = await connect()
  await tell(session, { event: 'PrintStarted' })
  await database.db.deleteFrom('prints').execute()
  const answer = await tell(session, { text: 'Operational', event: 'PrintDone', id: uuid(1) })
  expect(answer?.ack).toEqual({ events: [uuid(1)] })
  expect(await currentPrint()).toBeUndefined()
})

test('an acknowledged command moves on', async () => {
  const session = await connect()
  const answers: unknown[] = []
  const printers = {
    commandsSeen: async () => {},
    isToBeSent: async () => true,
    commandAcked: async (...args: unknown[]) => void answers.push(args),
  }
  agents = agentFlow({
    ...{ database, bus, live, clock, log, printers, detection: { reset: () => {}, warmUp: () => {} } },
    noteEnded: async () => {},
    temperatures: { add: () => {} },
  })
  await agents.acknowledge(session, { id: uuid(1), error: { code: 'rejected', detail: 'no' } })
  expect(answers).toEqual([[7, uuid(1), { error: { code: 'rejected', detail: 'no' } }]])
})
