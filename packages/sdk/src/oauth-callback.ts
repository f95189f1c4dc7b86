import { isRecord, parseJson } from './errors.js'
import { OAuthError } from './oauth-error.js'

/** A sign-in that was begun: what its callback must bring back, and what proves that we began it. */
export interface PendingSignIn {
  readonly state: string
  readonly verifier: string
  readonly begun_at: number
}

/** Whoever is asked may first have to find a password. */
const LIFETIME_MS = 3_600_000

/** Sign-ins begun and left in other tabs. */
const MAX_PENDING = 8

/** The sign-ins under way that were stored; whatever else is there counts for nothing. */
export function parsePending(text: string | undefined, nowMs: number): PendingSignIn[] {
  const value = parseJson(text ?? '')
  if (!Array.isArray(value)) return []
  return value.flatMap((one: unknown) => {
    if (!isRecord(one)) return []
    const { state, verifier, begun_at } = one
    if (typeof state !== 'string' || typeof verifier !== 'string' || typeof begun_at !== 'number') return []
    return begun_at > nowMs - LIFETIME_MS ? [{ state, verifier, begun_at }] : []
  })
}

/** With another one begun; the oldest are let go. */
export const withPending = (pending: readonly PendingSignIn[], one: PendingSignIn): PendingSignIn[] =>
  [...pending, one].slice(-MAX_PENDING)

/** What a callback brings, once it is known to be the answer to `pending` and to come from the right server. */
export type CallbackOutcome =
  | { readonly pending: PendingSignIn; readonly code: string }
  | { readonly pending: PendingSignIn; readonly error: OAuthError }

/**
 * Reads the address that the browser was sent back to. Nothing in it is believed before `state` (it answers a question of ours) and
 * `iss` (the server that we asked, RFC 9207) are right.
 *
 * @throws {OAuthError} state_mismatch, issuer_mismatch
 */
export function readCallback(url: URL, begun: readonly PendingSignIn[], issuer: string): CallbackOutcome {
  const parameter = (name: string): string | undefined => {
    const values = url.searchParams.getAll(name)
    return values.length === 1 ? values[0] : undefined
  }
  const state = parameter('state')
  const pending = begun.find((one) => one.state === state)
  if (pending === undefined) {
    throw new OAuthError('state_mismatch', 'This answer belongs to no sign-in that was begun here. Sign in again.')
  }
  const iss = parameter('iss')
  if (iss !== issuer) {
    const who = iss === undefined ? 'does not say who it is from' : `is from ${iss}`
    throw new OAuthError('issuer_mismatch', `The answer ${who}, and not from ${issuer}: see the option issuer.`)
  }
  const error = parameter('error')
  if (error !== undefined) return { pending, error: new OAuthError(error, parameter('error_description') ?? error) }
  const code = parameter('code')
  if (code !== undefined) return { pending, code }
  return { pending, error: new OAuthError('unexpected_answer', 'The answer holds neither a code nor an error.') }
}

/** Whether an address is the callback of a sign-in: the redirect URI with an answer in its query. */
export function isCallback(url: URL, redirectUri: string): boolean {
  const expected = new URL(redirectUri)
  const isThere = url.protocol === expected.protocol && url.host === expected.host && url.pathname === expected.pathname
  return isThere && url.searchParams.has('state') && (url.searchParams.has('code') || url.searchParams.has('error'))
}
