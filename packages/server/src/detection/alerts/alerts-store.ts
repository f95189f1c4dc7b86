import type { Insertable, Kysely, Selectable } from 'kysely'
import type { PrintRow } from '../../prints/store.js'
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

/** The alert that answers about the print are about: the newest one, unless the print was alerted about later without a record of why. */
export async function findAlertOfPrint(
  db: Kysely<Tables>,
  print: Pick<PrintRow, 'id' | 'alerted_at'>,
): Promise<AlertRow | undefined> {
  const alert = await findLastAlert(db, print.id)
  return alert !== undefined && alert.created_at >= (print.alerted_at ?? 0) ? alert : undefined
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

/** Notes an automatic pause that is told only now; false when another node has done so. */
export async function movePaused(
  db: Kysely<Tables>,
  printId: number,
  from: Pick<PrintRow, 'auto_paused_at' | 'paused_at'>,
  { toldAt, pausedAt }: { readonly toldAt: number; readonly pausedAt: number },
): Promise<boolean> {
  const changes = { alerted_at: toldAt, auto_paused_at: toldAt, paused_at: from.paused_at ?? pausedAt }
  const { numUpdatedRows } = await db
    .updateTable('prints')
    .set(changes)
    .where('id', '=', printId)
    .where('auto_paused_at', from.auto_paused_at === null ? 'is' : '=', from.auto_paused_at)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
