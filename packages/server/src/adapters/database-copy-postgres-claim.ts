import { type Client, DatabaseError } from 'pg'
import type { Log } from '../ports.js'
import { placeOf } from './database-postgres.js'
import { UNFINISHED_COPY, whileAlone } from './database-postgres-turn.js'

/** Held by the copy that is under way. "Copypw", as a number. */
const COPY_LOCK = 0x436f_7079_7077

/** As long as PostgreSQL may need to notice that a copy before this one was killed. */
const NOTICE_MS = 60_000
const LOCK_NOT_AVAILABLE = '55P03'

/** @throws when another copy into this database is under way */
export async function takeCopyLock(client: Client, place: string): Promise<void> {
  // Else it notices the end of a killed copy only when a statement of it ends. Older versions do not have the setting.
  await client.query(
    "select set_config(name, '2s', false) from pg_settings where name = 'client_connection_check_interval'",
  )
  await client.query(`set lock_timeout = ${NOTICE_MS}`)
  try {
    await client.query('select pg_advisory_lock($1)', [COPY_LOCK])
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE)) throw error
    throw new Error(`another copy into ${place} is under way; wait for it to end`, { cause: error })
  }
  await client.query('reset lock_timeout')
}

/**
 * Marks an empty database as a copy that is not finished, and lets `migrate` make its tables. One that is marked already is taken as it
 * is: the copy before this one was broken off.
 *
 * @throws when the database is not empty; nothing was changed then
 */
export async function claimEmpty(url: string, log: Log, migrate: () => Promise<unknown>): Promise<void> {
  await whileAlone(url, log, async (turn) => {
    const tables = await tableNames(turn)
    if (!tables.includes(UNFINISHED_COPY)) {
      if (tables.length > 0) throw new Error(notEmpty(placeOf(url), tables))
      await turn.query(`create table ${UNFINISHED_COPY} (started_at timestamptz not null default now())`)
    }
    await migrate()
  })
}

async function tableNames(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') order by relname`,
  )
  return rows.map(({ name }) => name)
}

function notEmpty(place: string, tables: readonly string[]): string {
  const some = tables.slice(0, 5).join(', ')
  const more = tables.length > 5 ? ` and ${tables.length - 5} more` : ''
  return `the database at ${place} is not empty (it has the tables ${some}${more}); nothing was changed. Name an empty one, such as createdb makes`
}
