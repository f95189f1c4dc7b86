import type { Kysely, Selectable } from 'kysely'
import type { PrintsTable, Tables } from '../tables.js'

/** A print that has ended, as far as retention looks at it. */
export type EndedPrintRow = Pick<
  Selectable<PrintsTable>,
  | 'id'
  | 'printer_id'
  | 'filename'
  | 'state'
  | 'finished_at'
  | 'cancelled_at'
  | 'failed_at'
  | 'alert_overwrite'
  | 'poster_key'
  | 'timelapse_state'
>

/** Every print that has ended. */
export async function listEndedPrints(db: Kysely<Tables>): Promise<EndedPrintRow[]> {
  const columns = ['id', 'printer_id', 'filename', 'state', 'finished_at', 'cancelled_at', 'failed_at'] as const
  const query = db.selectFrom('prints').select([...columns, 'alert_overwrite', 'poster_key', 'timelapse_state'])
  return query.where('state', 'not in', ['running', 'paused']).execute()
}
