import type { Kysely, Selectable } from 'kysely'
import { compiledQueries } from '../../compiled-query.js'
import type { CamerasTable, Tables } from '../../tables.js'

export type CameraRow = Selectable<CamerasTable>

/** What an agent says of a camera with each picture. */
export interface SeenCamera {
  readonly printer_id: number
  /** Empty when the agent gives it no name. */
  readonly name: string
  readonly is_primary: boolean
}

/** A printer has no more cameras than this: names come from its agent, and each has a picture of its own. */
export const MAX_CAMERAS = 8

/** The camera's row, when it is known as the agent says. */
export async function findSeenCamera(db: Kysely<Tables>, camera: SeenCamera): Promise<CameraRow | undefined> {
  const found = await findCameraByName(db, camera.printer_id, camera.name)
  return found?.is_primary === (camera.is_primary ? 1 : 0) ? found : undefined
}

/**
 * The camera's row, added when its first picture comes. Only the primary camera is looked at until the user says otherwise.
 * Undefined when the printer has as many cameras as it may have.
 */
export async function findOrAddCamera(
  db: Kysely<Tables>,
  camera: SeenCamera,
  now: number,
): Promise<CameraRow | undefined> {
  const { printer_id, name } = camera
  const is_primary = camera.is_primary ? 1 : 0
  const found = await findCameraByName(db, printer_id, name)
  if (found?.is_primary === is_primary) return found
  if (found === undefined && (await countCameras(db, printer_id)) >= MAX_CAMERAS) {
    return camera.is_primary ? renamePrimary(db, printer_id, name) : undefined
  }
  // There is one primary camera: the one that the agent named last.
  if (camera.is_primary) await unsetPrimary(db, printer_id, name)
  const row = { printer_id, name, is_primary, detection_enabled: is_primary, created_at: now }
  await db
    .insertInto('cameras')
    .values(row)
    .onConflict((conflict) => conflict.columns(['printer_id', 'name']).doUpdateSet({ is_primary }))
    .execute()
  return findCameraByName(db, printer_id, name)
}

async function findCameraByName(db: Kysely<Tables>, printerId: number, name: string): Promise<CameraRow | undefined> {
  const [camera] = await namedCamera(db, '', [printerId, name], ([printer, called]) =>
    db.selectFrom('cameras').selectAll().where('printer_id', '=', printer).where('name', '=', called),
  )
  return camera
}

const namedCamera = compiledQueries<CameraRow>()

async function countCameras(db: Kysely<Tables>, printerId: number): Promise<number> {
  const query = db.selectFrom('cameras').where('printer_id', '=', printerId)
  const { count } = await query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return count
}

async function renamePrimary(db: Kysely<Tables>, printerId: number, name: string): Promise<CameraRow | undefined> {
  const query = db.updateTable('cameras').set({ name }).where('printer_id', '=', printerId)
  return query.where('is_primary', '=', 1).returningAll().executeTakeFirst()
}

async function unsetPrimary(db: Kysely<Tables>, printerId: number, except: string): Promise<void> {
  const query = db.updateTable('cameras').set({ is_primary: 0 })
  await query.where('printer_id', '=', printerId).where('is_primary', '=', 1).where('name', '!=', except).execute()
}

/** The printer's cameras, the primary one first. */
export async function listCameras(db: Kysely<Tables>, printerId: number): Promise<CameraRow[]> {
  const query = db.selectFrom('cameras').selectAll().where('printer_id', '=', printerId)
  return query.orderBy('is_primary', 'desc').orderBy('id').execute()
}

/** Keeps a checkpoint of a camera's smoothing state, as JSON text. */
export async function setCameraSmoothing(db: Kysely<Tables>, id: number, smoothing: string): Promise<void> {
  await db.updateTable('cameras').set({ smoothing }).where('id', '=', id).execute()
}
