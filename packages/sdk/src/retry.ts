import { retryDelayMs, SPREAD_MS } from './backoff.js'
import { ApiError, NetworkError } from './errors.js'

/** When a call is tried again by itself. */
export interface RetryOptions {
  /** How often it is tried in all. Default 3; 1 means no second try. */
  attempts?: number
  /** A server that asks for a longer wait than this gets no second try: the caller hears of it at once. Default 10 000. */
  longestDelayMs?: number
}

/** {@link RetryOptions} with everything said. */
export type RetryPolicy = Required<RetryOptions>

const DEFAULTS: RetryPolicy = { attempts: 3, longestDelayMs: 10_000 }

/** The policy of a call: its own options, over the client's, over the defaults. `false` means one try. */
export function retryPolicy(...options: (RetryOptions | false | undefined)[]): RetryPolicy {
  const policy = { ...DEFAULTS }
  for (const option of options) {
    if (option === false) policy.attempts = 1
    else if (option !== undefined) {
      policy.attempts = option.attempts ?? policy.attempts
      policy.longestDelayMs = option.longestDelayMs ?? policy.longestDelayMs
    }
  }
  return policy
}

/**
 * How long to wait before the next try, in milliseconds; undefined when there is to be none.
 *
 * - 429 of this API: any method, since the server refused before it did anything
 * - 503, and 429 of something in between: methods whose repetition changes nothing more
 * - no answer: GET alone, since nobody knows whether anything was done
 *
 * @param attempt how many tries have failed, from 1
 * @param random a number from 0 (inclusive) to 1 (exclusive)
 */
export function nextTryIn(
  policy: RetryPolicy,
  attempt: number,
  method: string,
  error: unknown,
  random: number,
): number | undefined {
  if (attempt >= policy.attempts || !isWorthAnother(method, error)) return undefined
  const asked = error instanceof ApiError ? error.retryAfterSeconds : undefined
  if (asked === undefined) return Math.min(retryDelayMs(attempt, random), policy.longestDelayMs)
  const delay = asked * 1000
  return delay > policy.longestDelayMs ? undefined : Math.round(delay + random * SPREAD_MS)
}

const REPEATABLE = new Set(['GET', 'PUT', 'DELETE'])

function isWorthAnother(method: string, error: unknown): boolean {
  if (error instanceof NetworkError) return method === 'GET'
  if (!(error instanceof ApiError)) return false
  if (error.status === 429) return error.code === 'rate_limited' || REPEATABLE.has(method)
  // This one stays until somebody changes the server's configuration.
  if (error.code === 'assistant_not_configured') return false
  return error.status === 503 && REPEATABLE.has(method)
}
