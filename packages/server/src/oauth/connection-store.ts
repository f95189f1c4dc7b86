import type { Kysely } from 'kysely'
import type { Tables } from '../tables.js'

type Db = Kysely<Tables>

/** An app that a user is connected to. */
export interface ConnectionRow {
  /** The client's row. */
  readonly id: number
  readonly client_id: string
  readonly name: string
  readonly description: string
  readonly scope: string
  readonly connected_at: number
  readonly last_used_at: number | null
}

/** The grants that still count of one user, oldest first: an app may have several. */
export function listConnectionRows(db: Db, userId: number): Promise<ConnectionRow[]> {
  return db
    .selectFrom('oauth_grants')
    .innerJoin('oauth_clients', 'oauth_clients.id', 'oauth_grants.client_id')
    .select([
      'oauth_clients.id',
      'oauth_clients.client_id',
      'oauth_clients.name',
      'oauth_clients.description',
      'oauth_grants.scope',
      'oauth_grants.created_at as connected_at',
    ])
    .select((select) =>
      select
        .selectFrom('oauth_tokens')
        .whereRef('oauth_tokens.grant_id', '=', 'oauth_grants.id')
        .select((inner) => inner.fn.max('oauth_tokens.last_used_at').as('last'))
        .$asScalar()
        .$castTo<number | null>()
        .as('last_used_at'),
    )
    .where('oauth_grants.user_id', '=', userId)
    .where('oauth_grants.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('code_hash', 'is', null), eb('code_used_at', 'is not', null)]))
    .orderBy('oauth_grants.id')
    .execute()
}

/** A token that belongs to no app. */
export interface OwnTokenRow {
  readonly id: number
  readonly name: string | null
  readonly scope: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly last_used_at: number | null
}

/** A user's tokens that belong to no app and still count, newest first. */
export function listOwnTokens(db: Db, userId: number, now: number): Promise<OwnTokenRow[]> {
  return db
    .selectFrom('oauth_tokens')
    .select(['id', 'name', 'scope', 'created_at', 'expires_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .where('client_id', 'is', null)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .orderBy('id', 'desc')
    .execute()
}

/** A token as administrators see it. */
export type AnyTokenRow = OwnTokenRow & { readonly email: string; readonly app: string | null }

const MOST_TOKENS = 1000

/** Tokens that still count, of everybody or of one account, newest first. */
export function listAnyTokens(db: Db, email: string | undefined, now: number): Promise<AnyTokenRow[]> {
  const all = db
    .selectFrom('oauth_tokens')
    .innerJoin('users', 'users.id', 'oauth_tokens.user_id')
    .leftJoin('oauth_clients', 'oauth_clients.id', 'oauth_tokens.client_id')
    .select([
      'oauth_tokens.id',
      'oauth_tokens.name',
      'oauth_tokens.scope',
      'oauth_tokens.created_at',
      'oauth_tokens.expires_at',
      'oauth_tokens.last_used_at',
      'users.email',
      'oauth_clients.name as app',
    ])
    .where('oauth_tokens.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('oauth_tokens.expires_at', 'is', null), eb('oauth_tokens.expires_at', '>', now)]))
    .orderBy('oauth_tokens.id', 'desc')
    .limit(MOST_TOKENS)
  return (email === undefined ? all : all.where('users.email', '=', email.toLowerCase())).execute()
}

/** What introspection tells about an access token. */
export interface IntrospectedRow {
  readonly client_id: number | null
  readonly user_id: number
  readonly scope: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly disabled_at: number | null
  readonly email: string
}

export function findIntrospected(db: Db, tokenHash: string): Promise<IntrospectedRow | undefined> {
  return db
    .selectFrom('oauth_tokens')
    .innerJoin('users', 'users.id', 'oauth_tokens.user_id')
    .select([
      'oauth_tokens.client_id',
      'oauth_tokens.user_id',
      'oauth_tokens.scope',
      'oauth_tokens.created_at',
      'oauth_tokens.expires_at',
      'oauth_tokens.revoked_at',
      'users.disabled_at',
      'users.email',
    ])
    .where('oauth_tokens.token_hash', '=', tokenHash)
    .executeTakeFirst()
}
