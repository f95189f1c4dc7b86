import type { Insertable, Kysely, Selectable } from 'kysely'
import type { PrintShotFeedbacksTable, Tables } from '../tables.js'

/** A shot about which feedback is asked, as the database has it. */
export type FeedbackRow = Selectable<PrintShotFeedbacksTable>

/** Adds shots about which the user of a print is asked. */
export async function addFeedbackShots(
  db: Kysely<Tables>,
  shots: readonly Insertable<PrintShotFeedbacksTable>[],
): Promise<FeedbackRow[]> {
  if (shots.length === 0) return []
  return db
    .insertInto('print_shot_feedbacks')
    .values([...shots])
    .returningAll()
    .execute()
}

/** The shot, when it is the user's. */
export async function findVisibleFeedback(
  db: Kysely<Tables>,
  userId: number,
  id: number,
): Promise<FeedbackRow | undefined> {
  const query = db.selectFrom('print_shot_feedbacks').selectAll().where('id', '=', id)
  return query.where('user_id', '=', userId).executeTakeFirst()
}

/** Which of a user's shots. */
export interface FeedbackSelection {
  readonly printId: number | undefined
}

function selected(db: Kysely<Tables>, userId: number, { printId }: FeedbackSelection) {
  const query = db.selectFrom('print_shot_feedbacks').where('user_id', '=', userId)
  return printId === undefined ? query : query.where('print_id', '=', printId)
}

/** One page of the user's shots, oldest first. */
export async function listFeedback(
  db: Kysely<Tables>,
  userId: number,
  selection: FeedbackSelection,
  page: { start: number; limit: number },
): Promise<FeedbackRow[]> {
  return selected(db, userId, selection).selectAll().orderBy('id').limit(page.limit).offset(page.start).execute()
}

/** How many shots all pages hold together. */
export async function countFeedback(db: Kysely<Tables>, userId: number, selection: FeedbackSelection): Promise<number> {
  const query = selected(db, userId, selection).select((eb) => eb.fn.countAll<number | string>().as('count'))
  return Number((await query.executeTakeFirstOrThrow()).count)
}

/** The shots of some prints, in one query. */
export async function listFeedbackOfPrints(db: Kysely<Tables>, printIds: readonly number[]): Promise<FeedbackRow[]> {
  if (printIds.length === 0) return []
  const query = db.selectFrom('print_shot_feedbacks').selectAll().where('print_id', 'in', printIds)
  return query.orderBy('id').execute()
}

/** The shots of all the prints of a printer. */
export async function listFeedbackOfPrinter(
  db: Kysely<Tables>,
  printerId: number,
): Promise<Pick<FeedbackRow, 'print_id' | 'image_key'>[]> {
  const query = db.selectFrom('print_shot_feedbacks').innerJoin('prints', 'prints.id', 'print_shot_feedbacks.print_id')
  return query
    .select(['print_shot_feedbacks.print_id', 'print_shot_feedbacks.image_key'])
    .where('prints.printer_id', '=', printerId)
    .execute()
}

/** How many shots of a print have no answer. */
export async function countOpenFeedback(db: Kysely<Tables>, printId: number): Promise<number> {
  const query = db.selectFrom('print_shot_feedbacks').select((eb) => eb.fn.countAll<number | string>().as('count'))
  const row = await query.where('print_id', '=', printId).where('answer', 'is', null).executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Keeps or takes back an answer; undefined when the shot is gone. */
export async function setFeedbackAnswer(
  db: Kysely<Tables>,
  id: number,
  answer: Pick<FeedbackRow, 'answer' | 'answered_at'>,
): Promise<FeedbackRow | undefined> {
  const query = db.updateTable('print_shot_feedbacks').set(answer).where('id', '=', id)
  return query.returningAll().executeTakeFirst()
}
