import type { Insertable, Kysely, Selectable } from 'kysely'
import type { PredictionsTable, Tables } from '../tables.js'

export type NewPrediction = Insertable<PredictionsTable>

/** Adds analysed frames; one that is there already stays as it is. */
export async function insertPredictions(db: Kysely<Tables>, rows: readonly NewPrediction[]): Promise<void> {
  if (rows.length === 0) return
  const query = db.insertInto('predictions').values([...rows])
  await query.onConflict((conflict) => conflict.columns(['print_id', 'frame_at']).doNothing()).execute()
}

/** Notes that frames are not in the tagged video of their print. */
export async function leaveOutPredictions(db: Kysely<Tables>, ids: readonly number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += 500) {
    const some = ids.slice(start, start + 500)
    await db.updateTable('predictions').set({ left_out: 1 }).where('id', 'in', some).execute()
  }
}

/** An analysed frame of a print. */
export async function findPrediction(
  db: Kysely<Tables>,
  printId: number,
  frameAt: number,
): Promise<Selectable<PredictionsTable> | undefined> {
  const query = db.selectFrom('predictions').selectAll().where('print_id', '=', printId)
  return query.where('frame_at', '=', frameAt).executeTakeFirst()
}
