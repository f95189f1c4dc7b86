/** Agents take no picture sooner than this after the last. */
export const FASTEST_INTERVAL_MS = 2000

/** A wish is sent again this often while it holds: an agent that comes back does not know of it, and forgets it after a while. */
export const REPEAT_WISH_MS = 45_000

/**
 * How often pictures of a printer are wanted, in milliseconds, while its gauge stands here; null for the usual interval. What looks
 * odd is looked at more often, so that it is decided sooner.
 */
export function wantedIntervalMs(normalized_p: number): number | null {
  if (normalized_p >= 1 / 3) return FASTEST_INTERVAL_MS
  return normalized_p >= 1 / 6 ? 4000 : null
}

/** What was asked of an agent last. */
export interface Wish {
  readonly interval_ms: number | null
  readonly at: number
}

/** Whether the agent is to be told. A wish for slower pictures waits a little, so that a gauge that wavers asks for nothing new. */
export function isWishDue(last: Wish | undefined, wanted: number | null, now: number): boolean {
  if (last === undefined || last.interval_ms === null) return wanted !== null
  const age = now - last.at
  if (wanted === null || wanted > last.interval_ms) return age >= 20_000
  return wanted < last.interval_ms || age >= REPEAT_WISH_MS
}
