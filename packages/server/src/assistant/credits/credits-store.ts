import type { Insertable, Kysely, Selectable } from 'kysely'
import type { AiCreditEntriesTable, AiCreditHoldsTable, AiCreditsTable, Tables } from '../../tables.js'

type Db = Kysely<Tables>

export type CreditsRow = Selectable<AiCreditsTable>
export type CreditEntryRow = Selectable<AiCreditEntriesTable>

/** A debit whose call has not ended, with what it took. */
export type HeldDebit = Selectable<AiCreditHoldsTable> & Pick<CreditEntryRow, 'free' | 'granted' | 'about'>

export function findCredits(db: Db, userId: number): Promise<CreditsRow | undefined> {
  return db.selectFrom('ai_credits').selectAll().where('user_id', '=', userId).executeTakeFirst()
}

/** The quotas of accounts that have one of their own. */
export async function listOwnQuotas(db: Db): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('ai_credits')
    .select(['user_id', 'own_quota'])
    .where('own_quota', 'is not', null)
    .execute()
  return new Map(rows.flatMap(({ user_id, own_quota }) => (own_quota === null ? [] : [[user_id, own_quota]])))
}

/** Writes how an account stands now. */
export async function putCredits(trx: Db, row: Insertable<AiCreditsTable>): Promise<CreditsRow> {
  const { user_id: _, created_at: __, ...changes } = row
  return trx
    .insertInto('ai_credits')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(changes))
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function insertEntry(trx: Db, entry: Insertable<AiCreditEntriesTable>): Promise<CreditEntryRow> {
  return trx.insertInto('ai_credit_entries').values(entry).returningAll().executeTakeFirstOrThrow()
}

export async function insertHold(trx: Db, hold: Insertable<AiCreditHoldsTable>): Promise<void> {
  await trx.insertInto('ai_credit_holds').values(hold).execute()
}

/** Ends a hold; of several who try, one is told that it was there. */
export async function takeHold(trx: Db, entryId: number): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('ai_credit_holds').where('entry_id', '=', entryId).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Debits of calls that never told how they ended: their server is gone. */
export function listLostHolds(db: Db, now: number, userId?: number): Promise<HeldDebit[]> {
  const query = db
    .selectFrom('ai_credit_holds')
    .innerJoin('ai_credit_entries', 'ai_credit_entries.id', 'ai_credit_holds.entry_id')
    .selectAll('ai_credit_holds')
    .select(['ai_credit_entries.free', 'ai_credit_entries.granted', 'ai_credit_entries.about'])
    .where('ai_credit_holds.lease_until', '<', now)
    .orderBy('ai_credit_holds.entry_id')
    .limit(1000)
  return (userId === undefined ? query : query.where('ai_credit_holds.user_id', '=', userId)).execute()
}

/**
 * Ends the lease of every hold: their calls are gone. To be called where only one process can have had calls, before it has any. What
 * they took is given back as that of any other lost call.
 */
export async function loseAllHolds(db: Db): Promise<void> {
  await db.updateTable('ai_credit_holds').set({ lease_until: 0 }).execute()
}

/** Lines of the book, newest first, with how many there are in all. */
export async function listEntries(
  db: Db,
  userId: number,
  { start, limit }: { readonly start: number; readonly limit: number },
): Promise<{ rows: CreditEntryRow[]; total: number }> {
  const own = db.selectFrom('ai_credit_entries').where('user_id', '=', userId)
  const rows = await own.selectAll().orderBy('id', 'desc').offset(start).limit(limit).execute()
  const { total } = await own.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { rows, total }
}
