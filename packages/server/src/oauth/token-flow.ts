import { type NewPersonalToken, parseScopes, type Scope } from '@printwarden/protocol'
import type { Bus, Clock, Database } from '../ports.js'
import { ApiError } from '../errors.js'
import { noteSecurityEvent, type Whence } from '../users/security-events-store.js'
import { listOwnTokens, type OwnTokenRow } from './connection-store.js'
import { TOKEN_BYTES } from './issue-flow.js'
import { noteRevoked, tellRevoked } from './revocation-flow.js'
import { insertToken, revokeTokens } from './store.js'

/** More tokens of one user are a program gone wrong. */
const MAX_OWN_TOKENS = 200

const DAY_SECONDS = 24 * 3600

export interface TokenFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: { hash(text: string): string; newToken(bytes: number): string }
}

export type TokenFlow = ReturnType<typeof tokenFlow>

/** What an access token is for. */
export interface TokenRequest {
  readonly userId: number
  readonly scopes: readonly Scope[]
  /** What people call it. */
  readonly name: string | null
  /** How long it counts: null for ever, and a negative lifetime makes one that has expired. */
  readonly lifetimeSeconds: number | null
}

/** Access tokens: made, and revoked. */
export function tokenFlow({ database, bus, clock, secrets }: TokenFlowDeps) {
  const { db } = database

  async function add(request: TokenRequest): Promise<{ readonly id: number; readonly token: string }> {
    const { userId, scopes, name, lifetimeSeconds } = request
    const token = secrets.newToken(TOKEN_BYTES)
    const now = clock.now()
    const id = await insertToken(db, {
      user_id: userId,
      client_id: null,
      name,
      token_hash: secrets.hash(token),
      scope: scopes.join(' '),
      created_at: now,
      expires_at: lifetimeSeconds === null ? null : now + lifetimeSeconds * 1000,
      revoked_at: null,
    })
    return { id, token }
  }

  return {
    /** Makes a token that belongs to no client. It is kept as a hash alone. */
    async issue(request: TokenRequest): Promise<string> {
      return (await add(request)).token
    },
    /** Makes a token for the user's own programs. @throws {ApiError} conflict when there are far too many */
    async make(
      userId: number,
      { name, scope, expires_in_days }: NewPersonalToken,
      whence?: Whence,
    ): Promise<OwnTokenRow & { access_token: string }> {
      if ((await listOwnTokens(db, userId, clock.now())).length >= MAX_OWN_TOKENS) {
        throw new ApiError('conflict', `There are ${MAX_OWN_TOKENS} tokens already; revoke some that nobody uses.`)
      }
      const days = expires_in_days ?? null
      const lifetimeSeconds = days === null ? null : days * DAY_SECONDS
      const { id, token } = await add({ userId, scopes: parseScopes(scope), name, lifetimeSeconds })
      await noteSecurityEvent(db, { userId, type: 'token_made', at: clock.now(), whence, subject: name })
      const row = (await listOwnTokens(db, userId, clock.now())).find((one) => one.id === id)
      if (row === undefined) throw new Error('a new token is not there')
      return { ...row, access_token: token }
    },
    /** Revokes a token and closes its sockets. An unknown or revoked one is no error. */
    async revoke(token: string): Promise<void> {
      const at = clock.now()
      const ended = await revokeTokens(db, { hash: secrets.hash(token) }, at)
      tellRevoked(bus, ended)
      await noteRevoked(db, ended, at)
    },
  }
}
