import type { Scope } from '@printwarden/protocol'
import type { Bus, Clock, Database } from '../ports.js'
import { publishRevoked } from '../users/revoked.js'
import { insertToken, revokeTokenByHash } from './store.js'

const TOKEN_BYTES = 32

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
  /** How long it counts; a negative lifetime makes one that has expired. */
  readonly lifetimeSeconds: number
}

/** Access tokens: made, and revoked. */
export function tokenFlow({ database, bus, clock, secrets }: TokenFlowDeps) {
  const { db } = database

  return {
    /** Makes a token that belongs to no client. It is kept as a hash alone. */
    async issue({ userId, scopes, name, lifetimeSeconds }: TokenRequest): Promise<string> {
      const token = secrets.newToken(TOKEN_BYTES)
      const now = clock.now()
      await insertToken(db, {
        user_id: userId,
        client_id: null,
        name,
        token_hash: secrets.hash(token),
        scope: scopes.join(' '),
        created_at: now,
        expires_at: now + lifetimeSeconds * 1000,
        revoked_at: null,
      })
      return token
    },
    /** Revokes a token and closes its sockets. An unknown or revoked one is no error. */
    async revoke(token: string): Promise<void> {
      const id = await revokeTokenByHash(db, secrets.hash(token), clock.now())
      if (id !== undefined) publishRevoked(bus, { type: 'token', token_id: id })
    },
  }
}
