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
