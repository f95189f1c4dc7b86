import type { ExpressionBuilder, Insertable, Kysely, Selectable } from 'kysely'
import type { PrinterEventsTable, Tables } from '../tables.js'
import { countUnseenEvent } from '../users/store.js'

export type PrinterEventRow = Selectable<PrinterEventsTable>

/** Which of a user's printer events. */
export interface EventSelection {
  readonly printerId?: number | undefined
  readonly printId?: number | undefined
  readonly classes?: readonly string[] | undefined
  readonly types?: readonly string[] | undefined
}

/** Adds one line to a printer's history, which its user has not seen yet. */
export async function insertPrinterEvent(
  db: Kysely<Tables>,
  row: Insertable<PrinterEventsTable>,
): Promise<PrinterEventRow> {
  const event = await db.insertInto('printer_events').values(row).returningAll().executeTakeFirstOrThrow()
  await countUnseenEvent(db, event.user_id)
  return event
}

function isSelected(eb: ExpressionBuilder<Tables, 'printer_events'>, userId: number, selection: EventSelection) {
  const conditions = [eb('user_id', '=', userId)]
  if (selection.printerId !== undefined) conditions.push(eb('printer_id', '=', selection.printerId))
  if (selection.printId !== undefined) conditions.push(eb('print_id', '=', selection.printId))
  if (selection.classes !== undefined) conditions.push(eb('event_class', 'in', selection.classes))
  if (selection.types !== undefined) conditions.push(eb('event_type', 'in', selection.types))
  return eb.and(conditions)
}

/** The query behind `listPrinterEvents`, so that a test can ask the engine for its plan. */
export function printerEventsQuery(
  db: Kysely<Tables>,
  userId: number,
  selection: EventSelection,
  page: { start: number; limit: number },
) {
  return db
    .selectFrom('printer_events')
    .selectAll()
    .where((eb) => isSelected(eb, userId, selection))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.start)
}

/** One page of what happened on the user's printers, newest first. */
export async function listPrinterEvents(
  db: Kysely<Tables>,
  userId: number,
  selection: EventSelection,
  page: { start: number; limit: number },
): Promise<PrinterEventRow[]> {
  return printerEventsQuery(db, userId, selection, page).execute()
}

/** How many events all pages hold together. */
export async function countPrinterEvents(
  db: Kysely<Tables>,
  userId: number,
  selection: EventSelection,
): Promise<number> {
  const query = db.selectFrom('printer_events').select((eb) => eb.fn.countAll<number>().as('count'))
  const { count } = await query.where((eb) => isSelected(eb, userId, selection)).executeTakeFirstOrThrow()
  return count
}

/** Whether the printer's history has a line of this type that is younger than an instant. */
export async function hasEventSince(
  db: Kysely<Tables>,
  printerId: number,
  eventType: string,
  since: number,
): Promise<boolean> {
  const query = db.selectFrom('printer_events').select('id').where('printer_id', '=', printerId)
  const lines = query.where('event_type', '=', eventType).where('created_at', '>', since)
  return (await lines.limit(1).executeTakeFirst()) !== undefined
}

/** Events whose pictures lie with these prints, and go with them. */
export async function listPicturedEvents(
  db: Kysely<Tables>,
  printIds: readonly number[],
): Promise<{ id: number; print_id: number | null }[]> {
  if (printIds.length === 0) return []
  const query = db.selectFrom('printer_events').select(['id', 'print_id']).where('print_id', 'in', printIds)
  return query.where('image_key', 'like', 'prints/%').execute()
}

/** Takes the pictures from events: they are gone. */
export async function forgetEventPictures(db: Kysely<Tables>, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await db.updateTable('printer_events').set({ image_key: null }).where('id', 'in', ids).execute()
}

/** Whether this event of the agent was stored before (decision 18). */
export async function hasAgentEvent(db: Kysely<Tables>, printerId: number, eventId: string): Promise<boolean> {
  const query = db.selectFrom('agent_events').select('event_id').where('printer_id', '=', printerId)
  return (await query.where('event_id', '=', eventId).executeTakeFirst()) !== undefined
}

/**
 * Remembers the agent's name for an event. False when it was there already, so that inside a transaction two connections
 * cannot both count it.
 */
export async function insertAgentEvent(
  db: Kysely<Tables>,
  row: { printer_id: number; event_id: string; received_at: number },
): Promise<boolean> {
  const query = db.insertInto('agent_events').values(row)
  const result = await query
    .onConflict((conflict) => conflict.columns(['printer_id', 'event_id']).doNothing())
    .executeTakeFirst()
  return Number(result.numInsertedOrUpdatedRows ?? 0) > 0
}

/** Forgets ids that no agent will send again. */
export async function pruneAgentEvents(db: Kysely<Tables>, printerId: number, receivedBefore: number): Promise<void> {
  const query = db.deleteFrom('agent_events').where('printer_id', '=', printerId)
  await query.where('received_at', '<', receivedBefore).execute()
}
