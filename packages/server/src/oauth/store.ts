import type { Insertable, Kysely, Selectable } from 'kysely'
import { compiledQueries } from '../compiled-query.js'
import type { OauthClientsTable, OauthTokensTable, Tables } from '../tables.js'

export type ClientRow = Selectable<OauthClientsTable>
export type TokenRow = Selectable<OauthTokensTable>

type Db = Kysely<Tables>

/** Who an access token belongs to, and whether it still counts. */
export interface TokenIdentity {
  readonly token_id: number
  readonly scope: string
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly last_used_at: number | null
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
      'oauth_tokens.last_used_at',
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

/** Notes that a token was used. The caller sees to it that this is not done for each request. */
export async function touchToken(db: Db, id: number, now: number): Promise<void> {
  await db.updateTable('oauth_tokens').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** Which tokens are meant: one by its hash or id, those of a user's own making, of a client, of grants, of a refresh token. */
export interface TokenFilter {
  readonly hash?: string
  readonly id?: number
  readonly userId?: number
  /** The client's row; `null` for tokens that belong to none. */
  readonly clientId?: number | null
  readonly grantIds?: readonly number[]
  readonly refreshTokenIds?: readonly number[]
}

/** Revokes tokens; the ids of those that were not revoked before. */
export async function revokeTokens(db: Db, filter: TokenFilter, now: number): Promise<number[]> {
  const { hash, id, userId, clientId, grantIds, refreshTokenIds } = filter
  if (grantIds?.length === 0 || refreshTokenIds?.length === 0) return []
  let query = db.updateTable('oauth_tokens').set({ revoked_at: now }).where('revoked_at', 'is', null)
  if (hash !== undefined) query = query.where('token_hash', '=', hash)
  if (id !== undefined) query = query.where('id', '=', id)
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  if (clientId === null) query = query.where('client_id', 'is', null)
  else if (clientId !== undefined) query = query.where('client_id', '=', clientId)
  if (grantIds !== undefined) query = query.where('grant_id', 'in', grantIds)
  if (refreshTokenIds !== undefined) query = query.where('refresh_token_id', 'in', refreshTokenIds)
  const rows = await query.returning('id').execute()
  return rows.map((row) => row.id)
}

/** Whose these tokens are, and by which name their users know them: the app's, or the one that they gave. */
export function listTokenOwners(
  db: Db,
  ids: readonly number[],
): Promise<{ id: number; user_id: number; name: string | null }[]> {
  return db
    .selectFrom('oauth_tokens')
    .leftJoin('oauth_clients', 'oauth_clients.id', 'oauth_tokens.client_id')
    .select(['oauth_tokens.id', 'oauth_tokens.user_id'])
    .select((eb) => eb.fn.coalesce('oauth_clients.name', 'oauth_tokens.name').as('name'))
    .where('oauth_tokens.id', 'in', ids)
    .execute()
}

/** Lets the access tokens of a replaced refresh token end soon; none lives longer than it would have. */
export async function shortenTokens(db: Db, refreshTokenId: number, until: number): Promise<void> {
  await db
    .updateTable('oauth_tokens')
    .set({ expires_at: until })
    .where('refresh_token_id', '=', refreshTokenId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', until)]))
    .execute()
}

/** Access tokens of a grant that ended before `before` are of no use to anybody. */
export async function deleteEndedTokens(db: Db, grantId: number, before: number): Promise<void> {
  await db.deleteFrom('oauth_tokens').where('grant_id', '=', grantId).where('expires_at', '<', before).execute()
}

/** The printer, and its owner, that an agent's token belongs to. An archived printer's agent is still let in. */
export async function findAgentByTokenHash(db: Db, tokenHash: string): Promise<AgentOwner | undefined> {
  const [agent] = await agentOfToken(db, '', [tokenHash], ([hash]) =>
    db
      .selectFrom('printers')
      .innerJoin('users', 'users.id', 'printers.user_id')
      .select(['printers.id as printer_id', 'printers.user_id'])
      .where('printers.auth_token_hash', '=', hash)
      .where('users.disabled_at', 'is', null),
  )
  return agent
}

/** Those of these hashes that are of the token of an agent that is let in. */
export async function listKnownAgentHashes(db: Db, tokenHashes: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('printers')
    .innerJoin('users', 'users.id', 'printers.user_id')
    .select('printers.auth_token_hash')
    .where('printers.auth_token_hash', 'in', tokenHashes)
    .where('users.disabled_at', 'is', null)
    .execute()
  return rows.map(({ auth_token_hash }) => auth_token_hash)
}

interface AgentOwner {
  readonly printer_id: number
  readonly user_id: number
}

const agentOfToken = compiledQueries<AgentOwner>()

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

/** The name of the app that a token was made for, or the one that its user gave it. */
export async function findTokenName(db: Db, tokenId: number): Promise<string | undefined> {
  const query = db.selectFrom('oauth_tokens').leftJoin('oauth_clients', 'oauth_clients.id', 'oauth_tokens.client_id')
  const row = await query
    .select(['oauth_clients.name as client_name', 'oauth_tokens.name as token_name'])
    .where('oauth_tokens.id', '=', tokenId)
    .executeTakeFirst()
  return row?.client_name ?? row?.token_name ?? undefined
}
