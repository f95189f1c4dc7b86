/**
 * Changes of one printer are told to one subscriber at most this often: five times a second. What comes right after another change waits
 * for that long, and has to be seen within a quarter of a second all the same.
 */
export const ROUND_INTERVAL_MS = 200

/** What may wait in a socket before the subscriber counts as slow. */
export const SLOW_BYTES = 1024 * 1024

/** A slow subscriber whose socket takes nothing at all for this long is given up. */
export const STUCK_AFTER_MS = 30_000

/** How a subscriber's socket takes what is sent. */
export interface Flow {
  /** Bytes that the socket held when it was looked at last. */
  readonly buffered: number
  /** Since when it has taken nothing; undefined while it is not slow. */
  readonly stuckSince: number | undefined
}

export const FLOWING: Flow = { buffered: 0, stuckSince: undefined }

/** What to do now: tell what is owed, wait for the socket to take what it has, or give up. */
export type Step = 'tell' | 'wait' | 'give_up'

/** Looks at the bytes that wait in the socket. */
export function nextStep(before: Flow, buffered: number, now: number): { flow: Flow; step: Step } {
  if (buffered <= SLOW_BYTES) return { flow: FLOWING, step: 'tell' }
  const isMoving = before.stuckSince === undefined || buffered < before.buffered
  const stuckSince = isMoving ? now : before.stuckSince
  const step = now - stuckSince >= STUCK_AFTER_MS ? 'give_up' : 'wait'
  return { flow: { buffered, stuckSince }, step }
}

/** How long until the next round may begin. A clock that was set back does not make it longer. */
export function roundDelayMs(lastRoundAt: number, now: number): number {
  return Math.min(Math.max(lastRoundAt + ROUND_INTERVAL_MS - now, 0), ROUND_INTERVAL_MS)
}
