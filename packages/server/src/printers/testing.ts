import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Insertable, Kysely, KyselyPlugin } from 'kysely'
import { memoryBus } from '../adapters/bus-memory.js'
import { memoryLiveStore } from '../adapters/live-memory.js'
import { openTestDatabase } from '../adapters/testing.js'
import type { Bus, Database, Log } from '../ports.js'
import { insertPrint, type PrintRow } from '../prints/store.js'
import type { PrintsTable, Tables } from '../tables.js'
import { agentSubject, type ToAgent } from './notices.js'
import { NOW } from './sample.js'
import { insertPrinter, type PrinterRow, setCurrentPrint } from './store.js'

/** A log that keeps errors, so that a test can see that there were none. */
function quietLog(): Log & { errors: object[] } {
  const errors: object[] = []
  const ignore = (): void => {}
  return { errors, error: (fields) => errors.push(fields), warn: ignore, info: ignore, debug: ignore }
}

/** Statements that were answered, and how many of them were not only to read. */
export interface StatementCount {
  statements: number
  writes: number
}

/** The same database, counting the statements that it answers, those of transactions too. */
export function countStatements(database: Database): { database: Database; count: StatementCount } {
  const count = { statements: 0, writes: 0 }
  const writes = new WeakSet<object>()
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (node.kind !== 'SelectQueryNode') writes.add(queryId)
      return node
    },
    // Here, since a query that is compiled once is asked many times.
    async transformResult({ result, queryId }) {
      count.statements += 1
      if (writes.has(queryId)) count.writes += 1
      return result
    },
  }
  const { db, quick } = database
  return {
    count,
    database: {
      ...database,
      db: db.withPlugin(plugin),
      quick: quick.withPlugin(plugin),
      transaction: (work) => database.transaction((trx) => work(trx.withPlugin(plugin))),
    },
  }
}

type PrintChanges = Partial<Insertable<PrintsTable>>

/** A print of this printer, in the middle of things but for what the test says. */
export async function addPrint(db: Kysely<Tables>, printer: PrinterRow, changes: PrintChanges = {}): Promise<PrintRow> {
  const { length } = await db.selectFrom('prints').select('id').where('printer_id', '=', printer.id).execute()
  return insertPrint(db, {
    printer_id: printer.id,
    user_id: printer.user_id,
    current_print_ts: length,
    state: 'running',
    filename: 'boat.gcode',
    started_at: NOW - 600_000,
    ...changes,
  })
}

/** A print that runs on the printer now. */
export async function addCurrentPrint(
  db: Kysely<Tables>,
  printer: PrinterRow,
  changes: PrintChanges = {},
): Promise<PrintRow> {
  const print = await addPrint(db, printer, changes)
  await setCurrentPrint(db, printer.id, print.id)
  return print
}

/** An agent that takes whatever it is sent. */
export function connectAgent(bus: Bus, printerId: number): { received: ToAgent[]; leave: () => void } {
  const received: ToAgent[] = []
  const leave = bus.subscribe(agentSubject(printerId), (payload) => {
    received.push(payload as ToAgent)
    return true
  })
  return { received, leave }
}

/** A real database with a bus and a live store in memory, and a clock that the test sets. */
export async function openTestWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'printwarden-'))
  const database = await openTestDatabase(folder)
  const { db } = database
  const clock = { time: NOW, now: () => clock.time }
  const log = quietLog()
  const bus = memoryBus(log)
  const live = memoryLiveStore(clock)
  let count = 0

  async function addUser(): Promise<number> {
    count += 1
    const user = { email: `${count}@farm.example`, password_hash: 'x', date_joined: NOW, unsub_token: String(count) }
    return (await db.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow()).id
  }

  async function addPrinter(userId: number, name = 'Left'): Promise<PrinterRow> {
    count += 1
    const token = { auth_token_encrypted: `sealed ${count}`, auth_token_hash: `hash ${count}` }
    return insertPrinter(db, { user_id: userId, name, created_at: NOW, ...token })
  }

  /** Everything that is told on a subject from now on. */
  function hearAll(subject: string): unknown[] {
    const heard: unknown[] = []
    bus.subscribe(subject, (payload) => void heard.push(payload))
    return heard
  }

  async function close(): Promise<void> {
    await bus.close()
    await database.close()
    await rm(folder, { recursive: true })
  }

  return {
    database,
    db,
    bus,
    live,
    clock,
    log,
    addUser,
    addPrinter,
    addPrint: (printer: PrinterRow, changes?: PrintChanges) => addPrint(db, printer, changes),
    addCurrentPrint: (printer: PrinterRow, changes?: PrintChanges) => addCurrentPrint(db, printer, changes),
    connectAgent: (printerId: number) => connectAgent(bus, printerId),
    hearAll,
    close,
  }
}

export type TestWorld = Awaited<ReturnType<typeof openTestWorld>>
