import type { Insertable, Kysely, Selectable } from 'kysely'
import type { OauthGrantsTable, OauthRefreshTokensTable, Tables } from '../tables.js'

type Db = Kysely<Tables>

/** A grant with what decides whether its user may still be spoken for. */
export type GrantRow = Selectable<OauthGrantsTable> & { readonly disabled_at: number | null }

export async function insertGrant(db: Db, grant: Insertable<OauthGrantsTable>): Promise<number> {
  const { id } = await db.insertInto('oauth_grants').values(grant).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Removes a user's codes that nobody used in time. */
export async function deleteUnusedCodes(db: Db, userId: number, before: number): Promise<void> {
  await db
    .deleteFrom('oauth_grants')
    .where('user_id', '=', userId)
    .where('code_used_at', 'is', null)
    .where('code_expires_at', '<', before)
    .execute()
}

export function findGrantByCode(db: Db, codeHash: string): Promise<GrantRow | undefined> {
  return grants(db).where('oauth_grants.code_hash', '=', codeHash).executeTakeFirst()
}

export function findGrant(db: Db, id: number): Promise<GrantRow | undefined> {
  return grants(db).where('oauth_grants.id', '=', id).executeTakeFirst()
}

function grants(db: Db) {
  return db
    .selectFrom('oauth_grants')
    .innerJoin('users', 'users.id', 'oauth_grants.user_id')
    .selectAll('oauth_grants')
    .select('users.disabled_at')
}

/** Uses a code up. Of several who try at once, one is told that it did. */
export async function takeCode(db: Db, grantId: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth_grants')
    .set({ code_used_at: now })
    .where('id', '=', grantId)
    .where('code_used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Revokes grants of a user, a client or both, or one by its id; the ids of those that were not revoked before. */
export async function revokeGrants(
  db: Db,
  filter: { readonly id?: number; readonly userId?: number; readonly clientId?: number },
  now: number,
): Promise<number[]> {
  let query = db.updateTable('oauth_grants').set({ revoked_at: now }).where('revoked_at', 'is', null)
  if (filter.id !== undefined) query = query.where('id', '=', filter.id)
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId)
  if (filter.clientId !== undefined) query = query.where('client_id', '=', filter.clientId)
  const rows = await query.returning('id').execute()
  return rows.map(({ id }) => id)
}

/** A refresh token with its grant, and whether the token that replaced it was used. */
export type RefreshRow = Selectable<OauthRefreshTokensTable> & {
  readonly client_id: number
  readonly user_id: number
  readonly scope: string
  readonly grant_revoked_at: number | null
  readonly disabled_at: number | null
  readonly rotated_children: number
}

export function findRefreshToken(db: Db, tokenHash: string): Promise<RefreshRow | undefined> {
  return db
    .selectFrom('oauth_refresh_tokens as token')
    .innerJoin('oauth_grants', 'oauth_grants.id', 'token.grant_id')
    .innerJoin('users', 'users.id', 'oauth_grants.user_id')
    .selectAll('token')
    .select([
      'oauth_grants.client_id',
      'oauth_grants.user_id',
      'oauth_grants.scope',
      'oauth_grants.revoked_at as grant_revoked_at',
      'users.disabled_at',
    ])
    .select((select) =>
      select
        .selectFrom('oauth_refresh_tokens as child')
        .whereRef('child.parent_id', '=', 'token.id')
        .where('child.rotated_at', 'is not', null)
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .$asScalar()
        .$castTo<number>()
        .as('rotated_children'),
    )
    .where('token.token_hash', '=', tokenHash)
    .executeTakeFirst()
}

export async function insertRefreshToken(db: Db, token: Insertable<OauthRefreshTokensTable>): Promise<number> {
  const { id } = await db.insertInto('oauth_refresh_tokens').values(token).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Marks a refresh token as replaced. Of several who try at once, one is told that it did. */
export async function rotateRefreshToken(db: Db, id: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth_refresh_tokens')
    .set({ rotated_at: now })
    .where('id', '=', id)
    .where('rotated_at', 'is', null)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Marks a replaced refresh token as used once more. Of several who try at once, one is told that it did. */
export async function retryRefreshToken(db: Db, id: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth_refresh_tokens')
    .set({ retried_at: now })
    .where('id', '=', id)
    .where('retried_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Revokes what replaced a refresh token; the ids. */
export async function revokeChildren(db: Db, parentId: number, now: number): Promise<number[]> {
  const rows = await db
    .updateTable('oauth_refresh_tokens')
    .set({ revoked_at: now })
    .where('parent_id', '=', parentId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Forgets refresh tokens of a grant that were replaced long ago. One that comes back then is merely unknown. */
export async function deleteOldRefreshTokens(db: Db, grantId: number, before: number): Promise<void> {
  await db.deleteFrom('oauth_refresh_tokens').where('grant_id', '=', grantId).where('rotated_at', '<', before).execute()
}
