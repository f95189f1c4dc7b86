const FIRST_MS = 500
const LONGEST_MS = 30_000

/** What a server asks for above this is a mistake, or a timer would not hold it. */
const LONGEST_ASKED_MS = 15 * 60_000

/** Clients that were turned away together come back spread over this time, in milliseconds. */
export const SPREAD_MS = 500

/**
 * How long to wait before the next try to connect, in milliseconds. Doubles from half a second up to half a minute and is
 * spread over the upper half of that range, so that a thousand clients do not come back at the same instant.
 *
 * @param attempt how many tries have failed in a row, from 1
 * @param random a number from 0 (inclusive) to 1 (exclusive)
 */
export function retryDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 16))
  return Math.round(ceiling / 2 + (random * ceiling) / 2)
}

/**
 * How long a server asks to wait at least, in milliseconds: 0 when it said nothing, and never more than a quarter of an hour.
 *
 * @param seconds what its `Retry-After` says
 * @param random a number from 0 (inclusive) to 1 (exclusive)
 */
export function askedDelayMs(seconds: number | undefined, random: number): number {
  return seconds === undefined ? 0 : Math.round(Math.min(seconds * 1000, LONGEST_ASKED_MS) + random * SPREAD_MS)
}
