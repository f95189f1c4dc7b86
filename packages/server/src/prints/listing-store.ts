import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import { sql } from 'kysely'
import { compiledQueries } from '../compiled-query.js'
import type { Tables } from '../tables.js'
import type { PrintFilter, PrintPage, PrintSelection } from './listing.js'
import { type PrintColumns, type PrintRecord, recordColumns, withFiles } from './store.js'

/** A condition that no row meets. */
const NOTHING = sql<SqlBool>`1 = 0`

/** The selected prints of the user. Every column named here is in the index `prints_user_started`. */
export function isSelected(eb: ExpressionBuilder<Tables, 'prints'>, userId: number, selection: PrintSelection) {
  const { filters, printerIds, startedFrom, startedBefore } = selection
  // Few prints have shots. With the plus, SQLite looks those up by id instead of looking for them among all of the user's.
  const isRare = filters.includes('need_print_shot_feedback')
  const isOwn = isRare ? sql<SqlBool>`+prints.user_id = ${userId}` : eb('prints.user_id', '=', userId)
  const conditions: Expression<SqlBool>[] = [isOwn]
  if (printerIds !== undefined) {
    conditions.push(printerIds.length === 0 ? NOTHING : eb('prints.printer_id', 'in', printerIds))
  }
  if (startedFrom !== undefined) conditions.push(eb('prints.started_at', '>=', startedFrom))
  if (startedBefore !== undefined) conditions.push(eb('prints.started_at', '<', startedBefore))
  return eb.and([...conditions, ...filters.map((filter) => passes(eb, userId, filter))])
}

function passes(eb: ExpressionBuilder<Tables, 'prints'>, userId: number, filter: PrintFilter): Expression<SqlBool> {
  switch (filter) {
    case 'cancelled':
      return eb('prints.cancelled_at', 'is not', null)
    case 'finished':
      return eb('prints.finished_at', 'is not', null)
    case 'failed':
      return eb('prints.failed_at', 'is not', null)
    case 'need_alert_overwrite':
      return eb('prints.alert_overwrite', 'is', null)
    case 'need_print_shot_feedback':
      return eb('prints.id', 'in', printsWithoutFeedback(eb, userId))
  }
}

/** Prints that have feedback shots, none of which is answered. */
function printsWithoutFeedback(eb: ExpressionBuilder<Tables, 'prints'>, userId: number) {
  const shots = eb.selectFrom('print_shot_feedbacks').select('print_shot_feedbacks.print_id')
  return shots
    .where('print_shot_feedbacks.user_id', '=', userId)
    .groupBy('print_shot_feedbacks.print_id')
    .having((group) => group.fn.count('print_shot_feedbacks.answer'), '=', 0)
}

/** The query behind `listPrints`, so that a test can ask the engine for its plan. */
export function printsQuery(db: Kysely<Tables>, userId: number, selection: PrintSelection, page: PrintPage) {
  return db
    .selectFrom('prints')
    .selectAll('prints')
    .select(recordColumns)
    .where((eb) => isSelected(eb, userId, selection))
    .orderBy('prints.started_at', page.order)
    .orderBy('prints.id', page.order)
    .limit(page.limit)
    .offset(page.start)
}

/** A page of a list, and how many all pages hold together. */
export interface ListedPrints {
  readonly prints: PrintRecord[]
  readonly total: number
}

const ALL: PrintSelection = { filters: [], printerIds: undefined, startedFrom: undefined, startedBefore: undefined }

/** The query behind `listAllPrints`, so that a test can ask the engine for its plan. */
export function allPrintsQuery(db: Kysely<Tables>, userId: number, page: PrintPage) {
  return printsQuery(db, userId, ALL, page).select((eb) =>
    eb
      .selectFrom('print_counts')
      .select((counts) => counts.fn.sum<number | string | null>('total').as('sum'))
      .where('print_counts.user_id', '=', userId)
      .$asScalar()
      .as('all_prints'),
  )
}

const pagesOfAll = compiledQueries<PrintColumns & { readonly all_prints: number | string | null }>()

/**
 * One page of all of the user's prints with their number, by one statement. Only a page that holds none cannot tell the number: it is asked
 * for by itself.
 */
export async function listAllPrints(db: Kysely<Tables>, userId: number, page: PrintPage): Promise<ListedPrints> {
  const { order } = page
  const rows = await pagesOfAll(db, order, [userId, page.limit, page.start], ([user, limit, start]) =>
    allPrintsQuery(db, user, { order, limit, start }),
  )
  const [first] = rows
  const total = first === undefined ? await countPrints(db, userId, ALL) : Number(first.all_prints ?? 0)
  return { prints: await withFiles(db, rows), total }
}

/** One page of the user's prints. Those that started at the same instant are in the order of their ids. */
export async function listPrints(
  db: Kysely<Tables>,
  userId: number,
  selection: PrintSelection,
  page: PrintPage,
): Promise<PrintRecord[]> {
  return withFiles(db, await printsQuery(db, userId, selection, page).execute())
}

/** How many prints all pages hold together. */
export async function countPrints(db: Kysely<Tables>, userId: number, selection: PrintSelection): Promise<number> {
  const counted = countedAs(selection)
  return counted === undefined
    ? countOneByOne(db, userId, selection)
    : addUpCounts(db, userId, selection.printerIds, counted)
}

type Counted = 'total' | Exclude<PrintFilter, 'need_print_shot_feedback'>

/** The column of `print_counts` that knows how many these are. */
function countedAs({ filters, startedFrom, startedBefore }: PrintSelection): Counted | undefined {
  if (startedFrom !== undefined || startedBefore !== undefined || filters.length > 1) return undefined
  const [filter = 'total'] = filters
  return filter === 'need_print_shot_feedback' ? undefined : filter
}

async function addUpCounts(
  db: Kysely<Tables>,
  userId: number,
  printerIds: readonly number[] | undefined,
  column: Counted,
): Promise<number> {
  if (printerIds?.length === 0) return 0
  let query = db.selectFrom('print_counts').where('user_id', '=', userId)
  if (printerIds !== undefined) query = query.where('printer_id', 'in', printerIds)
  const { count } = await query
    .select((eb) => eb.fn.sum<number | string | null>(column).as('count'))
    .executeTakeFirstOrThrow()
  return Number(count ?? 0)
}

/** The query that counts prints one by one, so that a test can ask the engine for its plan. */
export function countQuery(db: Kysely<Tables>, userId: number, selection: PrintSelection) {
  const query = db.selectFrom('prints').select((eb) => eb.fn.countAll<number | string>().as('count'))
  return query.where((eb) => isSelected(eb, userId, selection))
}

async function countOneByOne(db: Kysely<Tables>, userId: number, selection: PrintSelection): Promise<number> {
  return Number((await countQuery(db, userId, selection).executeTakeFirstOrThrow()).count)
}
