import { isRecord, NetworkError } from './errors.js'
import { unexpectedAnswer } from './oauth-endpoint.js'
import { OAuthError } from './oauth-error.js'
import type { Tokens } from './oauth-tokens.js'

/** What the user of a device without a browser is to be shown (RFC 8628, section 3.2). */
export interface DeviceCode {
  /** What the user types at `verification_uri`. */
  readonly user_code: string
  readonly verification_uri: string
  /** The same with the code filled in: for a QR code. */
  readonly verification_uri_complete: string
  /** How long the user has, in seconds. */
  readonly expires_in: number
}

/** A device's sign-in under way. */
export interface DeviceSignIn {
  readonly code: DeviceCode
  readonly deviceCode: string
  readonly intervalSeconds: number
}

/** What to do, and whom to tell, while a device waits. */
export interface DeviceOptions {
  /** Is called once with what to show. */
  onCode: (code: DeviceCode) => void
  /** Space-separated; default `read write`. */
  scope?: string
  /** Gives up waiting; the promise rejects with the signal's reason. */
  signal?: AbortSignal
}

const SLOW_DOWN_SECONDS = 5
const LONGEST_SECONDS = 60

/** @throws {OAuthError} unexpected_answer */
export function readDeviceSignIn(body: unknown): DeviceSignIn {
  if (!isRecord(body)) throw unexpectedAnswer()
  const { device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval } = body
  if (typeof device_code !== 'string' || typeof user_code !== 'string') throw unexpectedAnswer()
  if (typeof verification_uri !== 'string' || typeof expires_in !== 'number') throw unexpectedAnswer()
  const complete = typeof verification_uri_complete === 'string' ? verification_uri_complete : verification_uri
  return {
    code: { user_code, verification_uri, verification_uri_complete: complete, expires_in },
    deviceCode: device_code,
    intervalSeconds: typeof interval === 'number' ? interval : SLOW_DOWN_SECONDS,
  }
}

/**
 * Asks again and again until the user has decided.
 *
 * @param ask one question at the token endpoint
 * @param wait resolves after so many milliseconds, or rejects when given up
 * @throws {OAuthError} access_denied; expired_token when the user did not decide in time
 */
export async function pollForTokens(
  { code, intervalSeconds }: DeviceSignIn,
  ask: () => Promise<Tokens>,
  wait: (ms: number) => Promise<void>,
): Promise<Tokens> {
  let interval = intervalSeconds
  for (let waited = 0; waited + interval <= code.expires_in; waited += interval) {
    await wait(interval * 1000)
    try {
      return await ask()
    } catch (error) {
      const next = nextInterval(interval, error)
      if (next === undefined) throw error
      interval = next
    }
  }
  throw new OAuthError('expired_token', 'Nobody entered the code in time.')
}

/** How long to wait before the next question, in seconds; undefined when there is none to ask (RFC 8628, section 3.5). */
export function nextInterval(interval: number, error: unknown): number | undefined {
  if (error instanceof NetworkError) return Math.min(LONGEST_SECONDS, interval * 2)
  if (!(error instanceof OAuthError)) return undefined
  if (error.code === 'authorization_pending') return interval
  return error.code === 'slow_down' ? interval + SLOW_DOWN_SECONDS : undefined
}
