import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { BacktestsTable, Tables } from '../../tables.js'

export type BacktestRow = Selectable<BacktestsTable>

/** A user's older replays go. */
const KEPT_BACKTESTS = 20

export async function insertBacktest(trx: Kysely<Tables>, row: Insertable<BacktestsTable>): Promise<BacktestRow> {
  const added = await trx.insertInto('backtests').values(row).returningAll().executeTakeFirstOrThrow()
  const query = trx.selectFrom('backtests').select('id').where('user_id', '=', row.user_id)
  const old = await query
    .where('status', 'in', ['done', 'failed'])
    .orderBy('id', 'desc')
    .offset(KEPT_BACKTESTS)
    .limit(100)
    .execute()
  for (const { id } of old) await trx.deleteFrom('backtests').where('id', '=', id).execute()
  return added
}

export async function updateBacktest(
  db: Kysely<Tables>,
  id: number,
  changes: Updateable<BacktestsTable>,
): Promise<void> {
  await db.updateTable('backtests').set(changes).where('id', '=', id).execute()
}

export async function findBacktest(db: Kysely<Tables>, id: number): Promise<BacktestRow | undefined> {
  return db.selectFrom('backtests').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The replay, when it is the user's. */
export async function findVisibleBacktest(
  db: Kysely<Tables>,
  userId: number,
  id: number,
): Promise<BacktestRow | undefined> {
  const query = db.selectFrom('backtests').selectAll().where('id', '=', id)
  return query.where('user_id', '=', userId).executeTakeFirst()
}

/** Whether a rerun of the user waits or runs. */
export async function hasOpenRerun(db: Kysely<Tables>, userId: number): Promise<boolean> {
  const query = db.selectFrom('backtests').select('id').where('user_id', '=', userId).where('model', '=', 'rerun')
  return (await query.where('status', 'in', ['queued', 'running']).executeTakeFirst()) !== undefined
}

/** When the user let the print go on. */
export async function listResumes(db: Kysely<Tables>, printId: number): Promise<number[]> {
  const query = db.selectFrom('printer_events').select('created_at').where('print_id', '=', printId)
  const rows = await query.where('event_type', '=', 'RESUMED').orderBy('created_at').execute()
  return rows.map(({ created_at }) => created_at)
}
