/** How often a job is tried before it counts as dead. */
export const MAX_ATTEMPTS = 5

const FIRST_DELAY_MS = 10_000
const LONGEST_DELAY_MS = 3_600_000

/** How long a job rests after its `attempts`-th try has failed, in milliseconds; undefined when it is not tried again. */
export function delayAfter(attempts: number): number | undefined {
  if (attempts >= MAX_ATTEMPTS) return undefined
  return Math.min(FIRST_DELAY_MS * 6 ** (attempts - 1), LONGEST_DELAY_MS)
}
