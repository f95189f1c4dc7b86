import type { Insertable, Kysely, Selectable } from 'kysely'
import type { SharedResourcesTable, Tables } from '../tables.js'

export type SharedResourceRow = Selectable<SharedResourcesTable>

export function findSharedResource(db: Kysely<Tables>, printerId: number): Promise<SharedResourceRow | undefined> {
  return db.selectFrom('shared_resources').selectAll().where('printer_id', '=', printerId).executeTakeFirst()
}

/** Shares a printer; undefined when it is shared already. */
export function insertSharedResource(
  db: Kysely<Tables>,
  row: Insertable<SharedResourcesTable>,
): Promise<SharedResourceRow | undefined> {
  return db
    .insertInto('shared_resources')
    .values(row)
    .onConflict((conflict) => conflict.column('printer_id').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Stops sharing, when the printer is the user's. Says whether there was something to stop. */
export async function deleteSharedResource(db: Kysely<Tables>, userId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('shared_resources')
    .where('id', '=', id)
    .where('printer_id', 'in', (from) => from.selectFrom('printers').select('id').where('user_id', '=', userId))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The share that a token opens, with its printer and that printer's owner; undefined when it opens nothing. */
export function findShareByTokenHash(
  db: Kysely<Tables>,
  tokenHash: string,
): Promise<{ share_id: number; printer_id: number; user_id: number } | undefined> {
  return db
    .selectFrom('shared_resources')
    .innerJoin('printers', 'printers.id', 'shared_resources.printer_id')
    .innerJoin('users', 'users.id', 'printers.user_id')
    .select(['shared_resources.id as share_id', 'printers.id as printer_id', 'printers.user_id'])
    .where('shared_resources.share_token_hash', '=', tokenHash)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
}
