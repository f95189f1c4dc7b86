import type { Insertable, Kysely } from 'kysely'
import type { SmoothingStartsTable, Tables } from '../tables.js'

/** Notes how a camera was before a print's first frame. What is noted stays. */
export async function insertStart(db: Kysely<Tables>, row: Insertable<SmoothingStartsTable>): Promise<void> {
  const query = db.insertInto('smoothing_starts').values(row)
  await query.onConflict((conflict) => conflict.columns(['print_id', 'camera_id']).doNothing()).execute()
}

/** How a camera (0 for the primary one) was before a print's first frame, as JSON. */
export async function findStart(db: Kysely<Tables>, printId: number, cameraId: number): Promise<string | undefined> {
  const query = db.selectFrom('smoothing_starts').select('state').where('print_id', '=', printId)
  return (await query.where('camera_id', '=', cameraId).executeTakeFirst())?.state
}
