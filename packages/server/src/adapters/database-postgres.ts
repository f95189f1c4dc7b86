import { setTimeout as delay } from 'node:timers/promises'
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely'
import { Client } from 'pg'
import { ApiError } from '../errors.js'
import { postgresTypes } from '../migrations/types.js'
import type { Database, Log } from '../ports.js'
import type { Tables } from '../tables.js'
import { migrateToLatest } from './database-migrations.js'
import { isRetried, noChanges } from './database-postgres-errors.js'
import { clientConfig, openPool } from './database-postgres-pool.js'
import { refuseUnfinishedCopy, whileAlone } from './database-postgres-turn.js'
import { Turns } from './turns.js'

/** One node's connections. A hundred, PostgreSQL's own default, are enough for seven nodes. */
const WRITERS = 10
const READERS = 4

/** Far above what any statement of ours takes: whatever lasts longer would only make others wait. */
const STATEMENT_MS = 30_000

/** A transaction that has met others this often is tried alone among those of this node, or many would go on meeting each other. */
const TRIES_AMONG_OTHERS = 3
/** As long as a statement may take: then something else is wrong. */
const GIVE_UP_MS = STATEMENT_MS
const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 200

/**
 * Opens the PostgreSQL database of `url`, such as postgres://user:password@host:5432/name.
 *
 * @throws when it cannot be reached; the message names it, without the password
 */
export async function openPostgresDatabase(url: string, log: Log): Promise<Database> {
  await requireReachable(url)
  const writers = openPool(url, log, { size: WRITERS, statementMs: STATEMENT_MS })
  const readers = openPool(url, log, { size: READERS, statementMs: STATEMENT_MS, isReadOnly: true })
  const db = kyselyOver(writers)
  let closing: Promise<void> | undefined

  /**
   * Serializable, since what a transaction has read must hold until it is committed, as it does in the embedded engine; whoever is in
   * the way of another is tried again.
   *
   * @throws {ApiError} unavailable when it was in the way of others for {@link GIVE_UP_MS}
   */
  async function transaction<T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
    const begun = performance.now()
    for (let tries = 1; ; tries++) {
      try {
        return await (tries > TRIES_AMONG_OTHERS ? onceAlone(work) : once(work))
      } catch (error) {
        if (!isRetried(error)) throw error
        if (performance.now() - begun > GIVE_UP_MS) {
          throw new ApiError('unavailable', 'The database is too busy.', { cause: error })
        }
        await delay(Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS))
      }
    }
  }

  const once = <T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> =>
    db.transaction().setIsolationLevel('serializable').execute(work)

  const struggling = new Turns(GIVE_UP_MS)
  async function onceAlone<T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
    await struggling.alone()
    try {
      return await once(work)
    } finally {
      struggling.leave()
    }
  }

  return {
    db,
    quick: kyselyOver(readers),
    transaction,
    migrate: () => migrateAlone(url, log),
    async ping() {
      const { rows } = await sql<{ is: string }>`select current_setting('transaction_read_only') as is`.execute(db)
      if (rows[0]?.is !== 'off') throw noChanges()
    },
    // Not through Kysely, which closes only what was used.
    close() {
      closing ??= Promise.all([writers.end(), readers.end()]).then(() => {})
      return closing
    },
  }
}

function kyselyOver(pool: PostgresPool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

/** @throws with what is wrong, in words for the operator */
export async function requireReachable(url: string): Promise<void> {
  const client = new Client(clientConfig(url, STATEMENT_MS))
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new Error(`the database at ${placeOf(url)} cannot be used: ${reasonOf(error)}`, { cause: error })
  } finally {
    await client.end().catch(() => {})
  }
}

/** Where the database is, without who may enter. */
export function placeOf(url: string): string {
  const { host, port, database } = new Client({ connectionString: url })
  return `${host}:${port}/${database ?? ''}`
}

/** A name with several addresses fails with one error for each. */
function reasonOf(error: unknown): string {
  const reasons = error instanceof AggregateError ? error.errors : [error]
  return reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason))).join('; ')
}

/** Migrates while no other node does. A migration may take as long as it needs. */
async function migrateAlone(url: string, log: Log): Promise<readonly string[]> {
  return whileAlone(url, log, async (turn) => {
    await refuseUnfinishedCopy(turn)
    return migratePostgres(url, log)
  })
}

/** Brings the schema up to date, and names what was missing. To be called while no other process does. */
export async function migratePostgres(url: string, log: Log): Promise<readonly string[]> {
  const pool = openPool(url, log, { size: 1, statementMs: 0 })
  try {
    return await migrateToLatest(kyselyOver(pool), postgresTypes)
  } finally {
    await pool.end()
  }
}
