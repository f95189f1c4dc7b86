import type { AccountSession, Invitation } from '@printwarden/protocol'
import { SESSION_LIFETIME_MS } from './session-life.js'

const iso = (ms: number): string => new Date(ms).toISOString()

interface Session {
  readonly id: number
  readonly created_at: number
  readonly expires_at: number
  readonly user_agent: string | null
  readonly ip_address: string | null
}

/** A session as its user sees it. Each day of use moves its end, so the end tells the day of its last use. */
export function sessionView(
  { id, created_at, expires_at, ip_address, user_agent }: Session,
  currentId: number,
): AccountSession {
  return {
    id,
    created_at: iso(created_at),
    last_used_at: iso(Math.max(created_at, expires_at - SESSION_LIFETIME_MS)),
    expires_at: iso(expires_at),
    ip_address,
    user_agent,
    is_current: id === currentId,
  }
}

interface Link {
  readonly id: number
  readonly email: string | null
  readonly is_admin: number
  readonly created_at: number
  readonly expires_at: number
}

export function invitationView({ id, email, is_admin, created_at, expires_at }: Link): Invitation {
  return { id, email, is_admin: is_admin === 1, created_at: iso(created_at), expires_at: iso(expires_at) }
}
