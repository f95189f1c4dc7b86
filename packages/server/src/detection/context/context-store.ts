import type { Kysely } from 'kysely'
import type { Tables } from '../../tables.js'
import type { CameraRow } from '../cameras/cameras-store.js'

/** The text of what was learned of a camera; undefined when there is none. */
export async function findLearned(db: Kysely<Tables>, cameraId: number): Promise<string | undefined> {
  const query = db.selectFrom('camera_learned').select('learned').where('camera_id', '=', cameraId)
  return (await query.executeTakeFirst())?.learned
}

/** Keeps what was learned of a camera. One that was deleted meanwhile is passed over. */
export async function keepLearned(db: Kysely<Tables>, cameraId: number, learned: string, now: number): Promise<void> {
  const row = (eb: Kysely<Tables>) =>
    eb
      .selectFrom('cameras')
      .where('id', '=', cameraId)
      .select((s) => ['id', s.val(learned).as('learned'), s.val(now).as('updated_at')])
  await db
    .insertInto('camera_learned')
    .columns(['camera_id', 'learned', 'updated_at'])
    .expression(row(db))
    .onConflict((conflict) => conflict.column('camera_id').doUpdateSet({ learned, updated_at: now }))
    .execute()
}

export async function deleteLearned(db: Kysely<Tables>, cameraId: number): Promise<void> {
  await db.deleteFrom('camera_learned').where('camera_id', '=', cameraId).execute()
}

/** A camera of a printer of the user's. */
export async function findVisibleCamera(
  db: Kysely<Tables>,
  userId: number,
  printerId: number,
  cameraId: number,
): Promise<CameraRow | undefined> {
  const query = db.selectFrom('cameras').innerJoin('printers', 'printers.id', 'cameras.printer_id').selectAll('cameras')
  const mine = query.where('printers.user_id', '=', userId).where('printers.id', '=', printerId)
  return mine.where('cameras.id', '=', cameraId).executeTakeFirst()
}

export async function updateCamera(
  db: Kysely<Tables>,
  cameraId: number,
  changes: Partial<Pick<CameraRow, 'settings' | 'detection_enabled'>>,
): Promise<CameraRow | undefined> {
  const query = db.updateTable('cameras').set(changes).where('id', '=', cameraId)
  return query.returningAll().executeTakeFirst()
}
