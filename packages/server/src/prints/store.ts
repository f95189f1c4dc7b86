import type { ExpressionBuilder, Insertable, Kysely, Selectable, Updateable } from 'kysely'
import { sql } from 'kysely'
import { compiledQueries } from '../compiled-query.js'
import type { GCodeFilesTable, PredictionsTable, PrintersTable, PrintsTable, Tables } from '../tables.js'

/** A print as the database has it. */
export type PrintRow = Selectable<PrintsTable>

/** A print as it is shown: with what other tables know of it. */
export interface PrintRecord extends PrintRow {
  /** Whether there are predictions to read (0 or 1). */
  readonly has_predictions: number
  /** Shots about which feedback is asked, and those of them that have no answer yet. */
  readonly shots: number
  readonly open_shots: number
  /** The stored file it was made of, also when that was deleted since. */
  readonly g_code_file: Selectable<GCodeFilesTable> | null
}

/** A print as one query gives it: {@link withFiles} makes a record of it. */
export type PrintColumns = Omit<PrintRecord, 'g_code_file'>

/** The columns of a printer that prints are shown with. What an agent says of itself takes kilobytes, and is not among them. */
const PRINTER_COLUMNS = [
  ...(['id', 'name', 'created_at', 'action_on_failure', 'watching_enabled', 'tools_off_on_pause'] as const),
  ...(['bed_off_on_pause', 'retract_on_pause', 'lift_z_on_pause', 'detective_sensitivity'] as const),
  ...(['min_timelapse_secs_on_finish', 'min_timelapse_secs_on_cancel', 'auth_token_encrypted'] as const),
  ...(['archived_at', 'agent_name', 'agent_version', 'current_print_id'] as const),
] as const

/** A printer as prints are shown with it. */
export type ShownPrinter = Pick<Selectable<PrintersTable>, (typeof PRINTER_COLUMNS)[number]>

/** The printer of a print: with when its current print was muted. */
export type PrintPrinter = ShownPrinter & { readonly current_alert_muted_at: number | null }

export type PredictionRow = Selectable<PredictionsTable>

/** The states of a print that has not ended. */
const RUNNING = ['running', 'paused']

/** The columns of a print as it is shown: all queries for a {@link PrintRecord} select these, and go through {@link withFiles}. */
export function recordColumns(eb: ExpressionBuilder<Tables, 'prints'>) {
  const predictions = eb.selectFrom('predictions').whereRef('predictions.print_id', '=', 'prints.id')
  const shots = eb.selectFrom('print_shot_feedbacks').whereRef('print_shot_feedbacks.print_id', '=', 'prints.id')
  const countShots = shots.select((shot) => shot.fn.countAll<number>().as('count'))
  const hasPredictions = eb.exists(predictions.select(sql.lit(1).as('one')))
  return [
    eb.case().when(hasPredictions).then(sql.lit(1)).else(sql.lit(0)).end().as('has_predictions'),
    countShots.$asScalar().as('shots'),
    countShots.where('answer', 'is', null).$asScalar().as('open_shots'),
  ] as const
}

/** Adds the files that prints were made of, by one more read when there are any. */
export async function withFiles(db: Kysely<Tables>, prints: readonly PrintColumns[]): Promise<PrintRecord[]> {
  const ids = [...new Set(prints.flatMap(({ g_code_file_id: id }) => (id === null ? [] : [id])))]
  const files = ids.length === 0 ? [] : await db.selectFrom('g_code_files').selectAll().where('id', 'in', ids).execute()
  const byId = new Map(files.map((file) => [file.id, file]))
  // The rows are ours: copying so many columns costs as much as reading them.
  return prints.map((print) => Object.assign(print, { g_code_file: byId.get(print.g_code_file_id ?? 0) ?? null }))
}

async function withFile(db: Kysely<Tables>, print: PrintColumns | undefined): Promise<PrintRecord | undefined> {
  return print && (await withFiles(db, [print]))[0]
}

/** The newest prints of each of some files, newest first. */
export async function listPrintsOfFiles(
  db: Kysely<Tables>,
  userId: number,
  fileIds: readonly number[],
  most: number,
): Promise<PrintRecord[]> {
  if (fileIds.length === 0) return []
  const ranked = db
    .selectFrom('prints')
    .select('id')
    .select(sql<number>`row_number() over (partition by g_code_file_id order by started_at desc, id desc)`.as('place'))
    .where('user_id', '=', userId)
    .where('g_code_file_id', 'in', fileIds)
  const newest = db.selectFrom(ranked.as('ranked')).select('ranked.id').where('ranked.place', '<=', most)
  const query = db.selectFrom('prints').selectAll('prints').select(recordColumns).where('prints.id', 'in', newest)
  return withFiles(db, await query.orderBy('prints.started_at', 'desc').orderBy('prints.id', 'desc').execute())
}

/** Notes the stored file of a print, when it is of the same user and none is noted. Says whether that changed anything. */
export async function linkPrintFile(db: Kysely<Tables>, printId: number, fileId: number): Promise<boolean> {
  const result = await db
    .updateTable('prints')
    .set({ g_code_file_id: fileId })
    .where('id', '=', printId)
    .where('g_code_file_id', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('g_code_files')
          .select('g_code_files.id')
          .where('g_code_files.id', '=', fileId)
          .whereRef('g_code_files.user_id', '=', 'prints.user_id'),
      ),
    )
    .executeTakeFirst()
  return Number(result.numUpdatedRows) > 0
}

export async function findPrint(db: Kysely<Tables>, id: number): Promise<PrintRow | undefined> {
  return db.selectFrom('prints').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The print, when it is the user's. */
export async function findVisiblePrint(
  db: Kysely<Tables>,
  userId: number,
  id: number,
): Promise<PrintRecord | undefined> {
  const query = db.selectFrom('prints').selectAll('prints').select(recordColumns)
  return withFile(db, await query.where('prints.id', '=', id).where('prints.user_id', '=', userId).executeTakeFirst())
}

/** The print of this printer that has not ended; the database allows one. */
export async function findRunningPrint(db: Kysely<Tables>, printerId: number): Promise<PrintRow | undefined> {
  const [print] = await runningPrint(db, '', [printerId], ([printer]) =>
    db.selectFrom('prints').selectAll().where('printer_id', '=', printer).where('state', 'in', RUNNING),
  )
  return print
}

const runningPrint = compiledQueries<PrintRow>()

/** The print that the agent calls by this `current_print_ts`. */
export async function findPrintByTs(
  db: Kysely<Tables>,
  printerId: number,
  currentPrintTs: number,
): Promise<PrintRow | undefined> {
  const query = db.selectFrom('prints').selectAll().where('printer_id', '=', printerId)
  return query.where('current_print_ts', '=', currentPrintTs).executeTakeFirst()
}

/** The prints of a printer that began, by their names, within so many seconds of `ts` or soon after. */
export async function listPrintsNear(
  db: Kysely<Tables>,
  printerId: number,
  ts: number,
  seconds: number,
): Promise<PrintRow[]> {
  const query = db.selectFrom('prints').selectAll().where('printer_id', '=', printerId)
  return query
    .where('current_print_ts', '>=', ts - seconds)
    .where('current_print_ts', '<=', ts + seconds)
    .execute()
}

/** The print to which the printer's row points. */
export async function findCurrentPrint(db: Kysely<Tables>, printerId: number): Promise<PrintRecord | undefined> {
  const [print] = await currentPrints(db, '', [printerId], ([id]) =>
    db
      .selectFrom('printers')
      .innerJoin('prints', 'prints.id', 'printers.current_print_id')
      .selectAll('prints')
      .select(recordColumns)
      .where('printers.id', '=', id),
  )
  return withFile(db, print)
}

const currentPrints = compiledQueries<PrintColumns>()

/** Every column of a print, since each needs another name beside those of its printer. */
const COLUMNS: Readonly<Record<keyof PrintsTable, true>> = {
  ...{ id: true, printer_id: true, user_id: true, current_print_ts: true, state: true, filename: true },
  ...{ g_code_file_id: true, started_at: true, finished_at: true, cancelled_at: true, failed_at: true },
  ...{ end_assumed: true, uploaded_at: true, alerted_at: true, alert_acknowledged_at: true, alert_muted_at: true },
  ...{ paused_at: true, rearmed_at: true, auto_paused_at: true, alert_overwrite: true, filament_used: true },
  ...{ print_time: true, access_consented_at: true, video_archived_at: true, video_key: true },
  ...{ tagged_video_key: true, poster_key: true, timelapse_state: true, timelapse_progress: true },
  ...{ timelapse_reason: true, last_action: true },
}
const NAMES = Object.keys(COLUMNS).map((name) => ({ name, joined: `print_${name}` }))

/** A printer's row with the print to which it points: all nulls when it points to none. */
export type JoinedPrint = Omit<PrintColumns, keyof PrintRow> & { readonly print_id: number | null }

/** The columns of a {@link JoinedPrint}, in a query that joins `prints`. {@link printsJoined} reads them. */
export function joinedColumns(eb: ExpressionBuilder<Tables, 'prints'>) {
  return [...NAMES.map(({ name, joined }) => sql.ref(`prints.${name}`).as(joined)), ...recordColumns(eb)]
}

/** The prints of printers' rows, in their order and without those that are none. */
export async function printsJoined(db: Kysely<Tables>, rows: readonly JoinedPrint[]): Promise<PrintRecord[]> {
  return withFiles(db, rows.filter(({ print_id }) => print_id !== null).map(printJoined))
}

function printJoined(row: JoinedPrint): PrintColumns {
  const { has_predictions, shots, open_shots } = row
  const joined: Readonly<Record<string, unknown>> = row
  const print: Record<string, unknown> = { has_predictions, shots, open_shots }
  for (const { name, joined: as } of NAMES) print[name] = joined[as]
  return print as unknown as PrintColumns
}

export async function insertPrint(db: Kysely<Tables>, row: Insertable<PrintsTable>): Promise<PrintRow> {
  return db.insertInto('prints').values(row).returningAll().executeTakeFirstOrThrow()
}

/** The prints of a printer, as far as blobs are kept of them. */
export async function listPrintsOfPrinter(
  db: Kysely<Tables>,
  printerId: number,
): Promise<Pick<PrintRow, 'id' | 'video_key' | 'tagged_video_key' | 'poster_key'>[]> {
  const query = db.selectFrom('prints').select(['id', 'video_key', 'tagged_video_key', 'poster_key'])
  return query.where('printer_id', '=', printerId).execute()
}

/** Removes those of the user's prints that have ended, with all that belongs to them, and says which they were. */
export async function deleteEndedPrints(
  db: Kysely<Tables>,
  userId: number,
  ids: readonly number[],
): Promise<PrintRow[]> {
  if (ids.length === 0) return []
  const query = db.deleteFrom('prints').where('user_id', '=', userId).where('id', 'in', ids)
  return query.where('state', 'not in', RUNNING).returningAll().execute()
}

/** Changes some columns; undefined when there is no such print. */
export async function updatePrint(
  db: Kysely<Tables>,
  id: number,
  changes: Updateable<PrintsTable>,
): Promise<PrintRow | undefined> {
  if (Object.keys(changes).length === 0) return findPrint(db, id)
  return db.updateTable('prints').set(changes).where('id', '=', id).returningAll().executeTakeFirst()
}

/** The printers of some prints, in one query. */
export async function listPrintPrinters(db: Kysely<Tables>, printerIds: readonly number[]): Promise<PrintPrinter[]> {
  if (printerIds.length === 0) return []
  const query = (ids: readonly number[]) =>
    db
      .selectFrom('printers')
      .leftJoin('prints', 'prints.id', 'printers.current_print_id')
      .select(PRINTER_COLUMNS.map((column) => `printers.${column}` as const))
      .select('prints.alert_muted_at as current_alert_muted_at')
      .where('printers.id', 'in', ids)
  if (printerIds.length > FEW_PRINTERS) return query(printerIds).execute()
  return printPrinters(db, String(printerIds.length), printerIds, query)
}

/** Of so many a compiled query is kept for each count: pages are mostly about a few. */
const FEW_PRINTERS = 30

const printPrinters = compiledQueries<PrintPrinter>()

/** Every analysed frame of a print's primary camera, in order of time: the time-lapse shows that camera. */
export async function listPredictions(db: Kysely<Tables>, printId: number): Promise<PredictionRow[]> {
  const query = db.selectFrom('predictions').selectAll().where('print_id', '=', printId)
  return query.where('camera_id', 'is', null).orderBy('frame_at').execute()
}

/** How many frames of a print's primary camera the prediction JSON has, and when the last one was stored. */
export async function summarizePredictions(
  db: Kysely<Tables>,
  printId: number,
): Promise<{ count: number; last_at: number | null }> {
  const query = db.selectFrom('predictions').where('print_id', '=', printId).where('camera_id', 'is', null)
  return query
    .where('left_out', '=', 0)
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.max<number | null>('created_at').as('last_at')])
    .executeTakeFirstOrThrow()
}
