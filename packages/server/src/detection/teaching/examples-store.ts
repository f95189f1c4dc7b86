import type { Insertable, Kysely, Selectable } from 'kysely'
import type { DetectionExamplesTable, Tables } from '../../tables.js'

/** A labelled picture as the database has it. */
export type ExampleRow = Selectable<DetectionExamplesTable>
export type NewExample = Insertable<DetectionExamplesTable>

/** Which picture: an answer about it takes the place of the one before. */
export type ExamplePicture = Pick<ExampleRow, 'print_id' | 'camera_id' | 'frame_at'>

function ofPicture(db: Kysely<Tables>, { print_id, camera_id, frame_at }: ExamplePicture) {
  const query = db.selectFrom('detection_examples').where('print_id', '=', print_id).where('frame_at', '=', frame_at)
  return camera_id === null ? query.where('camera_id', 'is', null) : query.where('camera_id', '=', camera_id)
}

/** Keeps an answer in place of any other about the same picture. To be called in a transaction. */
export async function putExample(trx: Kysely<Tables>, example: NewExample): Promise<ExampleRow> {
  const picture = { ...example, camera_id: example.camera_id ?? null }
  const before = await ofPicture(trx, picture).select('id').execute()
  for (const { id } of before) await trx.deleteFrom('detection_examples').where('id', '=', id).execute()
  return trx.insertInto('detection_examples').values(example).returningAll().executeTakeFirstOrThrow()
}

/** The answer about an alert, or about a shot. */
export async function findExampleOf(
  db: Kysely<Tables>,
  about: 'alert_id' | 'shot_id',
  id: number,
): Promise<ExampleRow | undefined> {
  return db.selectFrom('detection_examples').selectAll().where(about, '=', id).executeTakeFirst()
}

/** The labelled picture, when it is the user's. */
export async function findVisibleExample(
  db: Kysely<Tables>,
  userId: number,
  id: number,
): Promise<ExampleRow | undefined> {
  const query = db.selectFrom('detection_examples').selectAll().where('id', '=', id)
  return query.where('user_id', '=', userId).executeTakeFirst()
}

export async function deleteExample(trx: Kysely<Tables>, id: number): Promise<void> {
  await trx.deleteFrom('detection_examples').where('id', '=', id).execute()
}

/** The answers that count for a camera's calibration, oldest first. */
export async function listCalibratingExamples(db: Kysely<Tables>, cameraId: number): Promise<ExampleRow[]> {
  const query = db.selectFrom('detection_examples').selectAll().where('camera_id', '=', cameraId)
  return query.where('is_calibrating', '=', 1).orderBy('created_at').orderBy('id').execute()
}

/** Lets the answers about a camera move its scores no more. */
export async function stopCalibrating(trx: Kysely<Tables>, cameraId: number): Promise<void> {
  await trx.updateTable('detection_examples').set({ is_calibrating: 0 }).where('camera_id', '=', cameraId).execute()
}

export async function setCalibrationOffset(trx: Kysely<Tables>, cameraId: number, offset: number): Promise<void> {
  await trx.updateTable('cameras').set({ calibration_offset: offset }).where('id', '=', cameraId).execute()
}

/** One page of the user's labelled pictures, newest first. */
export async function listExamples(
  db: Kysely<Tables>,
  userId: number,
  page: { start: number; limit: number },
): Promise<ExampleRow[]> {
  const query = db.selectFrom('detection_examples').selectAll().where('user_id', '=', userId)
  return query.orderBy('id', 'desc').limit(page.limit).offset(page.start).execute()
}

export async function countExamples(db: Kysely<Tables>, userId: number): Promise<number> {
  const query = db.selectFrom('detection_examples').select((eb) => eb.fn.countAll<number | string>().as('count'))
  return Number((await query.where('user_id', '=', userId).executeTakeFirstOrThrow()).count)
}

/** Whether another labelled picture has the same blob. */
export async function isKeyShared(db: Kysely<Tables>, key: string, exceptId: number): Promise<boolean> {
  const query = db
    .selectFrom('detection_examples')
    .select('id')
    .where('image_key', '=', key)
    .where('id', '!=', exceptId)
  return (await query.executeTakeFirst()) !== undefined
}
