import type { Insertable, Kysely, Selectable } from 'kysely'
import type { AlertsTable, Tables } from '../../tables.js'

/** An alert as the database has it. */
export type AlertRow = Selectable<AlertsTable>

/** An alert as it is shown: with its camera's name, and the labelled picture that its answer made. */
export interface AlertRecord extends AlertRow {
  readonly camera_name: string | null
  readonly example_id: number | null
}

export async function insertAlert(db: Kysely<Tables>, row: Insertable<AlertsTable>): Promise<AlertRow> {
  return db.insertInto('alerts').values(row).returningAll().executeTakeFirstOrThrow()
}

function records(db: Kysely<Tables>) {
  return db
    .selectFrom('alerts')
    .leftJoin('cameras', 'cameras.id', 'alerts.camera_id')
    .leftJoin('detection_examples', 'detection_examples.alert_id', 'alerts.id')
    .selectAll('alerts')
    .select(['cameras.name as camera_name', 'detection_examples.id as example_id'])
}

/** The alert, when it is the user's. */
export async function findVisibleAlert(
  db: Kysely<Tables>,
  userId: number,
  id: number,
): Promise<AlertRecord | undefined> {
  return records(db).where('alerts.id', '=', id).where('alerts.user_id', '=', userId).executeTakeFirst()
}

/** The alerts of one print, oldest first. */
export async function listAlertsOfPrint(db: Kysely<Tables>, printId: number): Promise<AlertRecord[]> {
  return records(db).where('alerts.print_id', '=', printId).orderBy('alerts.created_at').orderBy('alerts.id').execute()
}

/** The newest alert of a print. */
export async function findLastAlert(db: Kysely<Tables>, printId: number): Promise<AlertRow | undefined> {
  const query = db.selectFrom('alerts').selectAll().where('print_id', '=', printId)
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst()
}

export async function setAlertAnswer(
  db: Kysely<Tables>,
  id: number,
  answer: Pick<AlertRow, 'answer' | 'answered_at' | 'answered_by'>,
): Promise<void> {
  await db.updateTable('alerts').set(answer).where('id', '=', id).execute()
}

/** The scores of a camera's frames of one print since then, oldest first. The primary camera is null. */
export async function listScoresSince(
  db: Kysely<Tables>,
  printId: number,
  cameraId: number | null,
  since: number,
): Promise<{ frame_at: number; current_p: number; score: number | null; normalized_p: number }[]> {
  const query = db
    .selectFrom('predictions')
    .select(['frame_at', 'current_p', 'score', 'normalized_p'])
    .where('print_id', '=', printId)
    .where('frame_at', '>=', since)
  const those = cameraId === null ? query.where('camera_id', 'is', null) : query.where('camera_id', '=', cameraId)
  return those.orderBy('frame_at').execute()
}

/** Notes that the server has paused the print and told of it; false when another node has done so. */
export async function movePaused(
  db: Kysely<Tables>,
  printId: number,
  from: number | null,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('prints')
    .set((eb) => ({ alerted_at: now, auto_paused_at: now, paused_at: eb.fn.coalesce('paused_at', eb.val(now)) }))
    .where('id', '=', printId)
    .where('auto_paused_at', from === null ? 'is' : '=', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
