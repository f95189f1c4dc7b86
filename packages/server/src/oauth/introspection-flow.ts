import type { Clock, Database } from '../ports.js'
import type { Client } from './client.js'
import { findIntrospected } from './connection-store.js'
import { findRefreshToken } from './grant-store.js'

export interface IntrospectionFlowDeps {
  readonly database: Database
  readonly clock: Clock
  readonly secrets: { hash(text: string): string }
}

export type IntrospectionFlow = ReturnType<typeof introspectionFlow>

const INACTIVE = { active: false } as const

/** Tells an app about a token of its own (RFC 7662). About any other it learns only that it is not active. */
export function introspectionFlow({ database, clock, secrets }: IntrospectionFlowDeps) {
  const { db } = database

  return {
    async introspect(client: Client, token: string, issuer: string): Promise<Record<string, unknown>> {
      const hash = secrets.hash(token)
      const shared = { active: true, client_id: client.client_id, iss: issuer }
      const access = await findIntrospected(db, hash)
      if (access !== undefined && access.client_id === client.id) {
        const { scope, email, user_id, created_at, expires_at, revoked_at, disabled_at } = access
        const isOver = expires_at !== null && expires_at <= clock.now()
        if (isOver || revoked_at !== null || disabled_at !== null) return INACTIVE
        const exp = expires_at === null ? {} : { exp: Math.floor(expires_at / 1000) }
        const iat = Math.floor(created_at / 1000)
        return { ...shared, scope, username: email, sub: String(user_id), token_type: 'Bearer', iat, ...exp }
      }
      const refresh = await findRefreshToken(db, hash)
      if (refresh === undefined || refresh.client_id !== client.id || refresh.disabled_at !== null) return INACTIVE
      const isDone = refresh.rotated_at !== null || refresh.revoked_at !== null || refresh.grant_revoked_at !== null
      return isDone ? INACTIVE : { ...shared, scope: refresh.scope, sub: String(refresh.user_id) }
    },
  }
}
