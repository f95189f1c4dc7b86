import { ApiError } from '../errors.js'
import { addressGroup } from '../limits/address.js'
import { Allowance, type AllowanceDeps } from '../limits/allowance.js'
import type { Refusals } from '../limits/refusals.js'
import { fullAfterMs, type Rate } from '../limits/token-bucket.js'

/**
 * Looks a credential up for an address, unless too many from there were nobody's. What is known is remembered and needs no look-up, so
 * others at the same address go on.
 * @throws {ApiError} rate_limited
 */
export type UnknownLimit = <T>(ip: string, find: () => Promise<T | undefined>) => Promise<T | undefined>

const NAME = 'address_unknown_credentials'

export function unknownLimit(deps: AllowanceDeps & { readonly refusals: Refusals }, rate: Rate): UnknownLimit {
  const wrong = new Allowance(deps, NAME, rate)
  /** By address, until when nothing is looked up. */
  const waiting = new Map<string, number>()
  /** Who has longer to wait was told so before the clock was set back. */
  const longestMs = Math.max(SHORTEST_MS, fullAfterMs(rate))

  return async (ip, find) => {
    const address = addressGroup(ip)
    const now = deps.clock.now()
    const until = waiting.get(address) ?? 0
    if (until > now && until - now <= longestMs) {
      deps.refusals.note(NAME, address)
      const retryAfterSeconds = Math.ceil((until - now) / 1000)
      throw new ApiError('rate_limited', 'Too many unknown credentials came from this address.', { retryAfterSeconds })
    }
    waiting.delete(address)
    const found = await find()
    if (found !== undefined) return found
    const waitMs = await wrong.take(address)
    if (waitMs > 0) waiting.set(address, deps.clock.now() + Math.max(waitMs, SHORTEST_MS))
    if (waiting.size > MAX_WAITING) waiting.clear()
    return undefined
  }
}

const SHORTEST_MS = 1000

/** So many addresses are remembered at most. */
const MAX_WAITING = 10_000
