export interface BackoffLimits {
  readonly baseMs: number
  readonly maxMs: number
}

/** Towards the server, which may be down for a while and then has to welcome all of its agents at once. */
export const SERVER_BACKOFF: BackoffLimits = { baseMs: 1_000, maxMs: 60_000 }

/** Towards the host, which usually runs on the same machine. */
export const HOST_BACKOFF: BackoffLimits = { baseMs: 1_000, maxMs: 15_000 }

/**
 * How long to wait before try number `attempt` (1 is the first retry). Doubles up to the limit; the upper half is random,
 * so that agents which lost the server together do not come back together.
 *
 * @param random a number from 0 up to, not including, 1
 */
export function backoffMs(attempt: number, random: number, { baseMs, maxMs }: BackoffLimits): number {
  // Beyond 2^30 the doubling leaves what a number holds exactly; every limit is far below.
  const ceiling = Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(attempt, 1) - 1, 30))
  return Math.round(ceiling / 2 + (ceiling / 2) * random)
}

/** How long to wait when the server said that it is only restarting: soon, but not all agents at once. */
export function restartDelayMs(random: number): number {
  return Math.round(500 + 2_000 * random)
}

/**
 * How long to wait when the server is there, cannot just now and has said when it may; undefined when it has not. Not before that, not all
 * agents at once, and never longer than between other tries.
 *
 * @param retryAfter the header of that name, in seconds
 */
export function askedDelayMs(retryAfter: string | undefined, random: number): number | undefined {
  if (retryAfter === undefined || !/^\d{1,9}$/.test(retryAfter)) return undefined
  return Math.round(Math.min(Math.max(Number(retryAfter), 1) * 1000 * (1 + random), SERVER_BACKOFF.maxMs))
}
