import type { Kysely } from 'kysely'
import type { Tables } from '../../tables.js'
import type { CameraRow } from '../cameras/cameras-store.js'

/** What was learned of a camera, as it is kept: its text, and when it was written. */
export interface KeptRow {
  readonly learned: string
  readonly updated_at: number
}

/** What is kept of a camera; undefined when nothing is. */
export async function findLearned(db: Kysely<Tables>, cameraId: number): Promise<KeptRow | undefined> {
  const query = db.selectFrom('camera_learned').select(['learned', 'updated_at']).where('camera_id', '=', cameraId)
  return query.executeTakeFirst()
}

/** When what is kept of a camera was written; null when nothing is. */
export async function findLearnedAt(db: Kysely<Tables>, cameraId: number): Promise<number | null> {
  const query = db.selectFrom('camera_learned').select('updated_at').where('camera_id', '=', cameraId)
  return (await query.executeTakeFirst())?.updated_at ?? null
}

/**
 * Keeps what was learned of a camera in the place of what was written at `before`, null for nothing, or of whatever is there. False when
 * something else is there by now, or the camera is gone.
 */
export async function keepLearned(
  db: Kysely<Tables>,
  cameraId: number,
  { learned, updated_at }: KeptRow,
  before: number | null | 'whatever',
): Promise<boolean> {
  if (typeof before === 'number') {
    const query = db.updateTable('camera_learned').set({ learned, updated_at }).where('camera_id', '=', cameraId)
    return (await query.where('updated_at', '=', before).returning('camera_id').executeTakeFirst()) !== undefined
  }
  const row = db
    .selectFrom('cameras')
    .where('id', '=', cameraId)
    .select((s) => ['id', s.val(learned).as('learned'), s.val(updated_at).as('updated_at')])
  const inserted = await db
    .insertInto('camera_learned')
    .columns(['camera_id', 'learned', 'updated_at'])
    .expression(row)
    .onConflict((conflict) => {
      const same = conflict.column('camera_id')
      return before === null ? same.doNothing() : same.doUpdateSet({ learned, updated_at })
    })
    .returning('camera_id')
    .executeTakeFirst()
  return inserted !== undefined
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
