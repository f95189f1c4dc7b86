import type { Kysely } from 'kysely'
import type { Tables } from '../tables.js'

/** Notes blobs that are to go; a key that ends in `/` means all that lie below it. One that is noted already goes at this time. */
export async function doomBlobs(trx: Kysely<Tables>, keys: readonly string[], dueAt: number): Promise<void> {
  for (let start = 0; start < keys.length; start += 300) {
    const rows = keys.slice(start, start + 300).map((key) => ({ key, due_at: dueAt }))
    const insert = trx.insertInto('doomed_blobs').values(rows)
    await insert.onConflict((conflict) => conflict.column('key').doUpdateSet({ due_at: dueAt })).execute()
  }
}

/** Takes blobs off the list: they were removed, or somebody wants them. */
export async function spareBlobs(trx: Kysely<Tables>, keys: readonly string[]): Promise<void> {
  for (let start = 0; start < keys.length; start += 300) {
    await trx
      .deleteFrom('doomed_blobs')
      .where('key', 'in', keys.slice(start, start + 300))
      .execute()
  }
}

/** Some of the blobs whose time has come. */
export async function listDueBlobs(db: Kysely<Tables>, now: number, limit: number): Promise<string[]> {
  const query = db.selectFrom('doomed_blobs').select('key').where('due_at', '<=', now).orderBy('due_at').limit(limit)
  return (await query.execute()).map(({ key }) => key)
}
