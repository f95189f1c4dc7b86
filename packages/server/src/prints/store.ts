import type { Expression, ExpressionBuilder, Insertable, Kysely, Selectable, SqlBool, Updateable } from 'kysely'
import { sql } from 'kysely'
import type { PredictionsTable, PrintersTable, PrintsTable, Tables } from '../tables.js'
import type { PrintPage, PrintSelection } from './listing.js'

/** A print as the database has it. */
export type PrintRow = Selectable<PrintsTable>

/** A print as it is shown: with whether there are predictions to read (0 or 1). */
export type PrintRecord = PrintRow & { readonly has_predictions: number }

/** The printer of a print as it is shown: with when its current print was muted. */
export type PrintPrinter = Selectable<PrintersTable> & { readonly current_alert_muted_at: number | null }

export type PredictionRow = Selectable<PredictionsTable>

/** A condition that no row meets. */
const NOTHING = sql<SqlBool>`1 = 0`

/** The states of a print that has not ended. */
const RUNNING = ['running', 'paused']

function hasPredictions(eb: ExpressionBuilder<Tables, 'prints'>) {
  const some = eb
    .selectFrom('predictions')
    .select(sql.lit(1).as('one'))
    .whereRef('predictions.print_id', '=', 'prints.id')
  return eb.case().when(eb.exists(some)).then(sql.lit(1)).else(sql.lit(0)).end().as('has_predictions')
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
  const query = db.selectFrom('prints').selectAll('prints').select(hasPredictions)
  return query.where('prints.id', '=', id).where('prints.user_id', '=', userId).executeTakeFirst()
}

/** The print of this printer that has not ended; the database allows one. */
export async function findRunningPrint(db: Kysely<Tables>, printerId: number): Promise<PrintRow | undefined> {
  const query = db.selectFrom('prints').selectAll().where('printer_id', '=', printerId)
  return query.where('state', 'in', RUNNING).executeTakeFirst()
}

/** The print that the agent calls by this `current_print_ts`. */
export async function findPrintByTs(
  db: Kysely<Tables>,
  printerId: number,
  currentPrintTs: number,
): Promise<PrintRow | undefined> {
  const query = db.selectFrom('prints').selectAll().where('printer_id', '=', printerId)
  return query.where('current_print_ts', '=', currentPrintTs).executeTakeFirst()
}

/** The print to which the printer's row points. */
export async function findCurrentPrint(db: Kysely<Tables>, printerId: number): Promise<PrintRecord | undefined> {
  const query = db.selectFrom('printers').innerJoin('prints', 'prints.id', 'printers.current_print_id')
  return query.selectAll('prints').select(hasPredictions).where('printers.id', '=', printerId).executeTakeFirst()
}

/** The current prints of all the user's printers, in one query. */
export async function listCurrentPrints(db: Kysely<Tables>, userId: number): Promise<PrintRecord[]> {
  const query = db.selectFrom('printers').innerJoin('prints', 'prints.id', 'printers.current_print_id')
  return query.selectAll('prints').select(hasPredictions).where('printers.user_id', '=', userId).execute()
}

export async function insertPrint(db: Kysely<Tables>, row: Insertable<PrintsTable>): Promise<PrintRow> {
  return db.insertInto('prints').values(row).returningAll().executeTakeFirstOrThrow()
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

function isSelected(eb: ExpressionBuilder<Tables, 'prints'>, userId: number, selection: PrintSelection) {
  const conditions: Expression<SqlBool>[] = [eb('prints.user_id', '=', userId)]
  if (selection.printerIds !== undefined) {
    conditions.push(selection.printerIds.length === 0 ? NOTHING : eb('prints.printer_id', 'in', selection.printerIds))
  }
  switch (selection.filter) {
    case undefined:
      break
    case 'cancelled':
      conditions.push(eb('prints.cancelled_at', 'is not', null))
      break
    case 'finished':
      conditions.push(eb('prints.finished_at', 'is not', null))
      break
    case 'failed':
      conditions.push(eb('prints.failed_at', 'is not', null))
      break
    case 'need_alert_overwrite':
      conditions.push(eb('prints.alert_overwrite', 'is', null))
      break
    case 'need_print_shot_feedback':
      // Feedback pictures are not made yet, so no print waits for an answer.
      conditions.push(NOTHING)
      break
  }
  return eb.and(conditions)
}

/** The query behind `listPrints`, so that a test can ask the engine for its plan. */
export function printsQuery(db: Kysely<Tables>, userId: number, selection: PrintSelection, page: PrintPage) {
  return db
    .selectFrom('prints')
    .selectAll('prints')
    .select(hasPredictions)
    .where((eb) => isSelected(eb, userId, selection))
    .orderBy('prints.started_at', page.order)
    .orderBy('prints.id', page.order)
    .limit(page.limit)
    .offset(page.start)
}

/** One page of the user's prints. */
export async function listPrints(
  db: Kysely<Tables>,
  userId: number,
  selection: PrintSelection,
  page: PrintPage,
): Promise<PrintRecord[]> {
  return printsQuery(db, userId, selection, page).execute()
}

/** How many prints all pages hold together. */
export async function countPrints(db: Kysely<Tables>, userId: number, selection: PrintSelection): Promise<number> {
  const query = db.selectFrom('prints').select((eb) => eb.fn.countAll<number>().as('count'))
  const { count } = await query.where((eb) => isSelected(eb, userId, selection)).executeTakeFirstOrThrow()
  return count
}

/** The printers of some prints, in one query. */
export async function listPrintPrinters(db: Kysely<Tables>, printerIds: readonly number[]): Promise<PrintPrinter[]> {
  if (printerIds.length === 0) return []
  return db
    .selectFrom('printers')
    .leftJoin('prints', 'prints.id', 'printers.current_print_id')
    .selectAll('printers')
    .select('prints.alert_muted_at as current_alert_muted_at')
    .where('printers.id', 'in', printerIds)
    .execute()
}

/** Every analysed frame of a print, in order of time. */
export async function listPredictions(db: Kysely<Tables>, printId: number): Promise<PredictionRow[]> {
  const query = db.selectFrom('predictions').selectAll().where('print_id', '=', printId)
  return query.orderBy('frame_at').execute()
}

/** How many frames of a print were analysed, and when the last one was stored. */
export async function summarizePredictions(
  db: Kysely<Tables>,
  printId: number,
): Promise<{ count: number; last_at: number | null }> {
  const query = db.selectFrom('predictions').where('print_id', '=', printId)
  return query
    .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.max<number | null>('created_at').as('last_at')])
    .executeTakeFirstOrThrow()
}
