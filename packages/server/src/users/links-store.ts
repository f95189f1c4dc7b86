import type { Insertable, Kysely, Selectable } from 'kysely'
import type { AccountLinksTable, Tables } from '../tables.js'

type Db = Kysely<Tables>

export type LinkRow = Selectable<AccountLinksTable>

/** What a link does. */
export type LinkPurpose = 'invitation' | 'password_reset' | 'email_change'

/** Keeps a link. Of those that change an account the newest of a purpose is the only one; those that are long over go. */
export async function insertLink(
  db: Db,
  link: Insertable<AccountLinksTable> & { purpose: LinkPurpose },
): Promise<LinkRow> {
  if (link.user_id !== null && link.user_id !== undefined) await deleteLinksOf(db, link.user_id, [link.purpose])
  await db.deleteFrom('account_links').where('expires_at', '<', link.created_at).execute()
  return db.insertInto('account_links').values(link).returningAll().executeTakeFirstOrThrow()
}

/** A link that can still be used. */
export function findLink(db: Db, purpose: LinkPurpose, tokenHash: string, now: number): Promise<LinkRow | undefined> {
  return db
    .selectFrom('account_links')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Uses a link up. Of several who try at once, one is given it. */
export function takeLink(db: Db, purpose: LinkPurpose, tokenHash: string, now: number): Promise<LinkRow | undefined> {
  return db
    .updateTable('account_links')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

/** Makes links that change this account useless. */
export async function deleteLinksOf(db: Db, userId: number, purposes: readonly LinkPurpose[]): Promise<void> {
  await db.deleteFrom('account_links').where('user_id', '=', userId).where('purpose', 'in', purposes).execute()
}

/** Invitations that nobody has used yet, newest first. */
export function listInvitations(db: Db, now: number): Promise<LinkRow[]> {
  return db
    .selectFrom('account_links')
    .selectAll()
    .where('purpose', '=', 'invitation')
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .execute()
}

/** Takes an invitation back; says whether there was one. */
export async function deleteInvitation(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('account_links')
    .where('purpose', '=', 'invitation')
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
