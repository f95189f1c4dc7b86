import { createHash } from 'node:crypto'

// The life of a grant: what becomes of a code, of the refresh tokens that follow from it, and of a device's sign-in. Pure; that two
// requests at once do not both win is the store's to see to, by conditional updates.

/** How long an authorization code may be used (decision 12). */
export const CODE_LIFETIME_MS = 60_000

/** How long a refresh token may be used once more after its answer was lost, and its access token lives on. */
export const REFRESH_GRACE_MS = 30_000

/** What the machine knows about a code. */
export interface CodeGrant {
  readonly client_id: number
  readonly redirect_uri: string | null
  readonly code_challenge: string | null
  readonly code_expires_at: number | null
  readonly code_used_at: number | null
  readonly revoked_at: number | null
}

export type CodeState = 'issued' | 'used' | 'expired' | 'revoked'

/** Where a code stands. */
export function codeState(grant: CodeGrant, now: number): CodeState {
  if (grant.revoked_at !== null) return 'revoked'
  if (grant.code_used_at !== null) return 'used'
  return (grant.code_expires_at ?? 0) > now ? 'issued' : 'expired'
}

/** What a client sends to have a code exchanged. */
export interface CodeExchange {
  /** The row's number of the client that proved itself. */
  readonly clientId: number
  readonly redirectUri: string
  readonly codeVerifier: string | undefined
}

/**
 * What is to happen: `issue` uses the code up and makes tokens, `refuse` uses it up and makes none, `revoke` ends what it gave (it
 * was used before, so somebody has stolen it), `ignore` touches nothing.
 */
export type CodeOutcome = 'issue' | 'refuse' | 'revoke' | 'ignore'

/** One try to exchange a code. A code of another client is ignored: that client must not be able to spoil it. */
export function exchangeCode(grant: CodeGrant, exchange: CodeExchange, now: number): CodeOutcome {
  if (grant.client_id !== exchange.clientId) return 'ignore'
  switch (codeState(grant, now)) {
    case 'revoked':
    case 'expired':
      return 'ignore'
    case 'used':
      return 'revoke'
    case 'issued': {
      const isSame = grant.redirect_uri === exchange.redirectUri
      return isSame && isVerified(grant.code_challenge, exchange.codeVerifier) ? 'issue' : 'refuse'
    }
  }
}

/** PKCE. A verifier without a challenge is refused: somebody has taken the challenge out on the way (RFC 9700, section 2.1.1). */
export function isVerified(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null) return verifier === undefined
  if (verifier === undefined || !/^[\w.~-]{43,128}$/.test(verifier)) return false
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}

/** What the machine knows about a refresh token. `isChildRotated`: whether the one that replaced it was used itself. */
export interface RefreshState {
  readonly rotated_at: number | null
  readonly retried_at: number | null
  readonly revoked_at: number | null
  readonly isGrantRevoked: boolean
  readonly isChildRotated: boolean
}

/**
 * `rotate` replaces the token; `retry` replaces it once more and revokes what nobody used; `revoke` ends the family, since the
 * token is in two hands; `ignore` touches nothing.
 */
export type RefreshOutcome = 'rotate' | 'retry' | 'revoke' | 'ignore'

/** One try to use a refresh token. */
export function useRefreshToken(token: RefreshState, now: number): RefreshOutcome {
  if (token.isGrantRevoked) return 'ignore'
  // It was the unused one of a retried pair: whoever holds it did get that answer after all.
  if (token.revoked_at !== null) return 'revoke'
  if (token.rotated_at === null) return 'rotate'
  const isLostAnswer = now <= token.rotated_at + REFRESH_GRACE_MS && token.retried_at === null && !token.isChildRotated
  return isLostAnswer ? 'retry' : 'revoke'
}

/** What the machine knows about a device that waits to be let in. */
export interface DeviceState {
  readonly status: string
  readonly expires_at: number
  readonly polled_at: number | null
  readonly interval_seconds: number
}

export type DeviceOutcome =
  | 'issue'
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'invalid_grant'

/** Somewhat less than was asked for, since a client's timer and the network are not exact. */
const POLL_TOLERANCE_MS = 500

/** One question of a device whether it may come in (RFC 8628, section 3.5). */
export function pollDevice(device: DeviceState, now: number): DeviceOutcome {
  if (device.status === 'used') return 'invalid_grant'
  if (device.expires_at <= now) return 'expired_token'
  if (device.status === 'denied') return 'access_denied'
  if (device.status === 'approved') return 'issue'
  const soonest = (device.polled_at ?? 0) + device.interval_seconds * 1000 - POLL_TOLERANCE_MS
  return now < soonest ? 'slow_down' : 'authorization_pending'
}
