import { Client } from 'pg'
import type { Log } from '../ports.js'
import { clientConfig } from './database-postgres-pool.js'

/** What processes that start together take turns by while they bring the schema up to date. "Printw", as a number. */
const MIGRATION_LOCK = 0x5072_696e_7477

/** The table that stands in a database while a copy into it is not finished. */
export const UNFINISHED_COPY = 'printwarden_unfinished_copy'

/** Works on the schema while no other process does. `turn` is the connection that holds the turn; the work may take as long as it needs. */
export async function whileAlone<T>(url: string, log: Log, work: (turn: Client) => Promise<T>): Promise<T> {
  const turn = new Client(clientConfig(url, 0))
  turn.on('error', (err) => log.warn({ err }, 'a connection to the database was lost'))
  await turn.connect()
  try {
    await turn.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    return await work(turn)
  } finally {
    // Its end gives the turn back.
    await turn.end()
  }
}

/** @throws when the database is a copy that is under way or was broken off */
export async function refuseUnfinishedCopy(turn: Client): Promise<void> {
  const found = await turn.query('select to_regclass($1) is not null as is_there', [UNFINISHED_COPY])
  if (found.rows[0]?.is_there !== 't') return
  throw new Error(
    'the database is a copy that is not finished: wait for printwarden-server copy to end, or start the same command again, which begins anew',
  )
}
