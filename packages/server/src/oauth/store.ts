import type { Insertable, Kysely, Selectable } from 'kysely'
import type { OauthClientsTable, OauthTokensTable, Tables } from '../tables.js'

export type ClientRow = Selectable<OauthClientsTable>

type Db = Kysely<Tables>

/** Who an access token belongs to, and whether it still counts. */
export interface TokenIdentity {
  readonly token_id: number
  readonly scope: string
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly user_id: number
  readonly email: string
  readonly is_admin: number
  readonly disabled_at: number | null
}

export function findTokenIdentity(db: Db, tokenHash: string): Promise<TokenIdentity | undefined> {
  return db
    .selectFrom('oauth_tokens')
    .innerJoin('users', 'users.id', 'oauth_tokens.user_id')
    .select([
      'oauth_tokens.id as token_id',
      'oauth_tokens.scope',
      'oauth_tokens.expires_at',
      'oauth_tokens.revoked_at',
      'users.id as user_id',
      'users.email',
      'users.is_admin',
      'users.disabled_at',
    ])
    .where('oauth_tokens.token_hash', '=', tokenHash)
    .executeTakeFirst()
}

/** Which of these tokens still let somebody in. */
export async function listValidTokens(db: Db, ids: readonly number[], now: number): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('oauth_tokens')
    .innerJoin('users', 'users.id', 'oauth_tokens.user_id')
    .select('oauth_tokens.id')
    .where('oauth_tokens.id', 'in', ids)
    .where('oauth_tokens.revoked_at', 'is', null)
    .where('users.disabled_at', 'is', null)
    .where((eb) => eb.or([eb('oauth_tokens.expires_at', 'is', null), eb('oauth_tokens.expires_at', '>', now)]))
    .execute()
  return rows.map(({ id }) => id)
}

/** Keeps a token, by its hash alone. */
export async function insertToken(db: Db, token: Insertable<OauthTokensTable>): Promise<number> {
  const { id } = await db.insertInto('oauth_tokens').values(token).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Revokes a token; the id of the one that was still valid, undefined when there was none. */
export async function revokeTokenByHash(db: Db, tokenHash: string, now: number): Promise<number | undefined> {
  const row = await db
    .updateTable('oauth_tokens')
    .set({ revoked_at: now })
    .where('token_hash', '=', tokenHash)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

/** Adds a client, or brings the one of the same `client_id` up to date. */
export async function saveClient(db: Db, client: Insertable<OauthClientsTable>): Promise<void> {
  const { client_id: _, created_at: __, ...changes } = client
  await db
    .insertInto('oauth_clients')
    .values(client)
    .onConflict((conflict) => conflict.column('client_id').doUpdateSet(changes))
    .execute()
}

/** The printer, and its owner, that an agent's token belongs to. An archived printer's agent is still let in. */
export function findAgentByTokenHash(
  db: Db,
  tokenHash: string,
): Promise<{ printer_id: number; user_id: number } | undefined> {
  return db
    .selectFrom('printers')
    .innerJoin('users', 'users.id', 'printers.user_id')
    .select(['printers.id as printer_id', 'printers.user_id'])
    .where('printers.auth_token_hash', '=', tokenHash)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst()
}

/** Removes tokens of this user and name that expired before `now`: those of programs that sign in again and again. */
export async function deleteExpiredTokens(db: Db, userId: number, name: string, now: number): Promise<void> {
  await db
    .deleteFrom('oauth_tokens')
    .where('user_id', '=', userId)
    .where('client_id', 'is', null)
    .where('name', '=', name)
    .where('expires_at', '<', now)
    .execute()
}
