import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { SupportRequestsTable, Tables } from '../../tables.js'

type Db = Kysely<Tables>

export type SupportRow = Selectable<SupportRequestsTable>

export function insertSupportRequest(trx: Db, row: Insertable<SupportRequestsTable>): Promise<SupportRow> {
  return trx.insertInto('support_requests').values(row).returningAll().executeTakeFirstOrThrow()
}

export function findSupportRequest(db: Db, id: number): Promise<SupportRow | undefined> {
  return db.selectFrom('support_requests').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function updateSupportRequest(
  db: Db,
  id: number,
  changes: Updateable<SupportRequestsTable>,
): Promise<void> {
  await db.updateTable('support_requests').set(changes).where('id', '=', id).execute()
}

/** When a user wrote since then, oldest first. */
export async function listTimesSince(db: Db, userId: number, since: number): Promise<number[]> {
  const query = db.selectFrom('support_requests').select('created_at').where('user_id', '=', userId)
  const rows = await query.where('created_at', '>', since).orderBy('created_at').execute()
  return rows.map(({ created_at }) => created_at)
}

/** Requests that are still to be sent, or could not be. */
export async function listUnsent(db: Db, since: number): Promise<number[]> {
  const query = db.selectFrom('support_requests').select('id').where('state', 'in', ['waiting', 'failed'])
  const rows = await query.where('created_at', '>', since).orderBy('id').limit(1000).execute()
  return rows.map(({ id }) => id)
}

/** What users wrote, newest first. */
export function listSupportRequests(
  db: Db,
  page: { readonly start: number; readonly limit: number },
): Promise<SupportRow[]> {
  const query = db.selectFrom('support_requests').selectAll().orderBy('id', 'desc')
  return query.offset(page.start).limit(page.limit).execute()
}

export async function countSupportRequests(db: Db): Promise<number> {
  const query = db.selectFrom('support_requests').select((eb) => eb.fn.countAll<number | string>().as('count'))
  return Number((await query.executeTakeFirstOrThrow()).count)
}

/** What is told of a printer with its user's consent. */
export interface PrinterDiagnosis {
  readonly id: number
  readonly agent_name: string | null
  readonly agent_version: string | null
  readonly watching_enabled: number
  readonly archived_at: number | null
  readonly current_print_id: number | null
}

export function listPrinterDiagnoses(db: Db, userId: number): Promise<PrinterDiagnosis[]> {
  const columns = ['id', 'agent_name', 'agent_version', 'watching_enabled', 'archived_at', 'current_print_id'] as const
  return db.selectFrom('printers').select(columns).where('user_id', '=', userId).orderBy('id').limit(100).execute()
}

export function listDeviationCounts(
  db: Db,
  userId: number,
): Promise<{ printer_id: number; kind: string; count: number }[]> {
  return db
    .selectFrom('printer_deviations')
    .innerJoin('printers', 'printers.id', 'printer_deviations.printer_id')
    .select(['printer_deviations.printer_id', 'printer_deviations.kind', 'printer_deviations.count'])
    .where('printers.user_id', '=', userId)
    .limit(1000)
    .execute()
}

/** Kinds of what happened last, without texts. */
export function listLastEvents(
  db: Db,
  userId: number,
  limit: number,
): Promise<{ printer_id: number; event_type: string; event_class: string; created_at: number }[]> {
  const query = db.selectFrom('printer_events').select(['printer_id', 'event_type', 'event_class', 'created_at'])
  return query.where('user_id', '=', userId).orderBy('id', 'desc').limit(limit).execute()
}
