/** So often something is tried that another try may mend. */
export const MAX_TRIES = 6

const FIRST_MS = 500
const LONGEST_MS = 30_000

/** How long to wait before another try: twice as long each time, or what the other side asks for. `tries` were made. */
export function waitMs(tries: number, retryAfter: string | undefined, nowMs: number): number {
  const asked = retryAfterMs(retryAfter, nowMs)
  return Math.min(asked ?? FIRST_MS * 2 ** (tries - 1), LONGEST_MS)
}

function retryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Whether an answer says that it may be another one soon. */
export const isPassing = (status: number): boolean => status === 429 || status === 408 || status >= 500
