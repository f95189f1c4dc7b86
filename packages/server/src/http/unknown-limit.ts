import { ApiError } from '../errors.js'
import { addressGroup } from '../limits/address.js'
import { Allowance, type AllowanceDeps } from '../limits/allowance.js'
import type { Refusals } from '../limits/refusals.js'
import { fullAfterMs, type Rate } from '../limits/token-bucket.js'

/**
 * Looks a credential up for an address, unless too many from there were nobody's. Who was found within the last day is looked up all the
 * same, so others at the same address go on.
 * @throws {ApiError} rate_limited
 */
export type UnknownLimit = <T>(ip: string, hash: string, find: () => Promise<T | undefined>) => Promise<T | undefined>

const NAME = 'address_unknown_credentials'

export function unknownLimit(deps: AllowanceDeps & { readonly refusals: Refusals }, rate: Rate): UnknownLimit {
  const wrong = new Allowance(deps, NAME, rate)
  /** By address, until when nothing is looked up. */
  const waiting = new Map<string, number>()
  /** Who has longer to wait was told so before the clock was set back. */
  const longestMs = Math.max(SHORTEST_MS, fullAfterMs(rate))

  /** By hash of a credential, when somebody had it; who was found last stands last. */
  const found = new Map<string, number>()

  function noteFound(hash: string): void {
    found.delete(hash)
    found.set(hash, deps.clock.now())
    const [oldest] = found.keys()
    if (found.size > MAX_FOUND && oldest !== undefined) found.delete(oldest)
  }

  return async (ip, hash, find) => {
    const address = addressGroup(ip)
    const now = deps.clock.now()
    const until = waiting.get(address) ?? 0
    const hasToWait = until > now && until - now <= longestMs
    const isOfSomebody = now - (found.get(hash) ?? Number.NEGATIVE_INFINITY) < FOUND_MS
    if (hasToWait && !isOfSomebody) {
      deps.refusals.note(NAME, address)
      const retryAfterSeconds = Math.ceil((until - now) / 1000)
      throw new ApiError('rate_limited', 'Too many unknown credentials came from this address.', { retryAfterSeconds })
    }
    if (!hasToWait) waiting.delete(address)
    const owner = await find()
    if (owner !== undefined) {
      noteFound(hash)
      return owner
    }
    found.delete(hash)
    const waitMs = await wrong.take(address)
    if (waitMs > 0) waiting.set(address, deps.clock.now() + Math.max(waitMs, SHORTEST_MS))
    if (waiting.size > MAX_WAITING) waiting.clear()
    return undefined
  }
}

const SHORTEST_MS = 1000

/** So long a credential passes although its address has to wait; it is looked up as ever. */
const FOUND_MS = 24 * 3_600_000

/** So many credentials are remembered at most. */
const MAX_FOUND = 20_000

/** So many addresses are remembered at most. */
const MAX_WAITING = 10_000
