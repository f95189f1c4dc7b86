import type { Insertable, Kysely } from 'kysely'
import type { PredictionsTable, Tables } from '../tables.js'

export type NewPrediction = Insertable<PredictionsTable>

/** Adds analysed frames; one that is there already stays as it is. */
export async function insertPredictions(db: Kysely<Tables>, rows: readonly NewPrediction[]): Promise<void> {
  if (rows.length === 0) return
  const query = db.insertInto('predictions').values([...rows])
  await query.onConflict((conflict) => conflict.columns(['print_id', 'frame_at']).doNothing()).execute()
}
