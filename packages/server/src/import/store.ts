import type { Kysely, Selectable } from 'kysely'
import type { ImportedItemsTable, Tables } from '../tables.js'

/** What was brought over, as the database has it. */
export type ImportedItem = Selectable<ImportedItemsTable>

type Db = Kysely<Tables>

/** A thing of another server. */
export interface ItemKey {
  readonly user_id: number
  readonly source: string
  readonly kind: string
  readonly source_id: number
}

export function findItem(db: Db, { user_id, source, kind, source_id }: ItemKey): Promise<ImportedItem | undefined> {
  return db
    .selectFrom('imported_items')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('source', '=', source)
    .where('kind', '=', kind)
    .where('source_id', '=', source_id)
    .executeTakeFirst()
}

export function findItemById(db: Db, id: number): Promise<ImportedItem | undefined> {
  return db.selectFrom('imported_items').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Whether something here was brought over already, from wherever. */
export async function isTarget(db: Db, kind: string, targetId: number): Promise<boolean> {
  const query = db.selectFrom('imported_items').select('id').where('kind', '=', kind).where('target_id', '=', targetId)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** Notes a thing. Without `target` its bytes are awaited. */
export async function insertItem(
  db: Db,
  key: ItemKey,
  item: { readonly record: unknown; readonly target?: number; readonly partOf?: number; readonly now: number },
): Promise<ImportedItem> {
  const { record, target, partOf, now } = item
  return db
    .insertInto('imported_items')
    .values({
      ...{ user_id: key.user_id, source: key.source, kind: key.kind, source_id: key.source_id },
      record: JSON.stringify(record),
      part_of: partOf ?? null,
      target_id: target ?? null,
      created_at: now,
      done_at: target === undefined ? null : now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Notes what a thing became whose bytes were awaited. False when somebody else was faster. */
export async function finishItem(db: Db, id: number, target: number, now: number): Promise<boolean> {
  const query = db.updateTable('imported_items').set({ target_id: target, done_at: now }).where('id', '=', id)
  return Number((await query.where('done_at', 'is', null).executeTakeFirst()).numUpdatedRows) > 0
}

/** Keeps what the other server said last. */
export async function setItemRecord(db: Db, id: number, record: unknown): Promise<void> {
  await db
    .updateTable('imported_items')
    .set({ record: JSON.stringify(record) })
    .where('id', '=', id)
    .execute()
}
