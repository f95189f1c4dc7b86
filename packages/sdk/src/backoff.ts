const FIRST_MS = 500
const LONGEST_MS = 30_000

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
