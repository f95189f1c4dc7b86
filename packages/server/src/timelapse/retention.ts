/** How long videos and pictures of prints stay; undefined means for ever. */
export interface RetentionLimits {
  /** In days since the end of the print, by how it ended. */
  readonly finishedDays: number | undefined
  readonly cancelledDays: number | undefined
  readonly failedDays: number | undefined
  /** Of all prints together. */
  readonly bytes: number | undefined
}

export const KEEP_ALL: RetentionLimits = {
  finishedDays: undefined,
  cancelledDays: undefined,
  failedDays: undefined,
  bytes: undefined,
}

/** How a print ended, as far as retention tells prints apart. A print that was alerted about rightly counts as failed. */
export type Outcome = 'finished' | 'cancelled' | 'failed'

/** A print that has ended, with what is kept of it. */
export interface StoredPrint {
  readonly id: number
  readonly outcome: Outcome
  /** In milliseconds. */
  readonly ended_at: number
  /** Of what retention may take, in bytes. */
  readonly bytes: number
}

/** A print whose videos are to go, and why. */
export interface Expired extends StoredPrint {
  readonly reason: 'age' | 'size'
}

const DAY_MS = 86_400_000

/** Whether anything is ever to go. */
export function isUnlimited(limits: RetentionLimits): boolean {
  return Object.values(limits).every((limit) => limit === undefined)
}

/**
 * Which prints lose their videos: those that are too old, then the oldest ones until the rest fits. `otherBytes` are those of prints
 * that retention does not touch; they count, but cannot go.
 */
export function expiredPrints(
  prints: readonly StoredPrint[],
  limits: RetentionLimits,
  now: number,
  otherBytes = 0,
): Expired[] {
  const byAge = [...prints].sort((a, b) => a.ended_at - b.ended_at || a.id - b.id)
  const old = byAge.filter((print) => now - print.ended_at > daysOf(limits, print.outcome) * DAY_MS)
  const rest = byAge.filter((print) => !old.includes(print))
  let excess = otherBytes + rest.reduce((sum, { bytes }) => sum + bytes, 0) - (limits.bytes ?? Infinity)
  const large = rest.filter(({ bytes }) => {
    if (excess <= 0 || bytes === 0) return false
    excess -= bytes
    return true
  })
  return [
    ...old.map((print) => ({ ...print, reason: 'age' }) as const),
    ...large.map((print) => ({ ...print, reason: 'size' }) as const),
  ]
}

function daysOf(limits: RetentionLimits, outcome: Outcome): number {
  const days = { finished: limits.finishedDays, cancelled: limits.cancelledDays, failed: limits.failedDays }[outcome]
  return days ?? Infinity
}
