import type { Kysely } from 'kysely'
import type { Scope } from '@printwarden/protocol'
import type { Clock } from '../ports.js'
import type { Tables } from '../tables.js'
import { insertRefreshToken } from './grant-store.js'
import { insertToken } from './store.js'

/** 256 bits: nobody guesses a token. */
export const TOKEN_BYTES = 32

export interface IssueFlowDeps {
  readonly clock: Clock
  readonly secrets: { hash(text: string): string; newToken(bytes: number): string }
  /** The lifetime that the operator set: what `expires_in` says, to the second. */
  readonly accessTokenSeconds: number
}

export type IssueFlow = ReturnType<typeof issueFlow>

/** What the tokens are issued under. */
export interface Issue {
  readonly grantId: number
  readonly userId: number
  /** The client's row. */
  readonly clientId: number
  readonly scopes: readonly Scope[]
  /** The refresh token that these replace. */
  readonly parentId: number | null
}

/** The answer of the token endpoint (section 5). */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly scope: string
  readonly refresh_token: string
}

/** Makes tokens. Only their hashes are kept. */
export function issueFlow({ clock, secrets, accessTokenSeconds }: IssueFlowDeps) {
  async function issueAccess(
    db: Kysely<Tables>,
    { grantId, userId, clientId, scopes }: Omit<Issue, 'parentId'>,
    refreshTokenId: number | null,
  ): Promise<string> {
    const token = secrets.newToken(TOKEN_BYTES)
    const now = clock.now()
    await insertToken(db, {
      user_id: userId,
      client_id: clientId,
      name: null,
      token_hash: secrets.hash(token),
      scope: scopes.join(' '),
      created_at: now,
      expires_at: now + accessTokenSeconds * 1000,
      revoked_at: null,
      grant_id: grantId,
      refresh_token_id: refreshTokenId,
      last_used_at: null,
    })
    return token
  }

  /** An access token with its refresh token. */
  async function issuePair(db: Kysely<Tables>, issue: Issue): Promise<TokenAnswer> {
    const refresh_token = secrets.newToken(TOKEN_BYTES)
    const refreshTokenId = await insertRefreshToken(db, {
      grant_id: issue.grantId,
      parent_id: issue.parentId,
      token_hash: secrets.hash(refresh_token),
      created_at: clock.now(),
      rotated_at: null,
      retried_at: null,
      revoked_at: null,
    })
    const access_token = await issueAccess(db, issue, refreshTokenId)
    const scope = issue.scopes.join(' ')
    return { access_token, token_type: 'Bearer', expires_in: accessTokenSeconds, scope, refresh_token }
  }
  /** An access token alone: the implicit grant. */
  async function issueAlone(
    db: Kysely<Tables>,
    issue: Omit<Issue, 'parentId'>,
  ): Promise<Omit<TokenAnswer, 'refresh_token'>> {
    const access_token = await issueAccess(db, issue, null)
    return { access_token, token_type: 'Bearer', expires_in: accessTokenSeconds, scope: issue.scopes.join(' ') }
  }

  return { issuePair, issueAlone }
}
