import type { Clock } from './clock.js'

/** Both times at one moment, and the span over which the monotonic one counts. */
export interface Now {
  readonly wallMs: number
  readonly monotonicMs: number
  readonly bootId?: string | undefined
}

/** A moment as it lies on the disk: by the wall clock of then, and by the time since the machine was started. */
export interface StoredMoment {
  readonly wallMs: number
  readonly bootMs?: number | undefined
  readonly bootId?: string | undefined
}

/** No agent ran before. A machine without a clock of its own begins at 1970 each time, until it hears the time from a network. */
const CLOCK_IS_SET_MS = Date.UTC(2023, 0, 1)

export function nowOf(clock: Clock): Now {
  return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs(), bootId: clock.bootId }
}

/** A monotonic moment of now, for the disk. The wall clock of now is the best there is, also for what was before it was set. */
export function storeMoment(atMs: number, now: Now): { wall_ms: number; boot_ms: number } {
  return { wall_ms: Math.round(now.wallMs - (now.monotonicMs - atMs)), boot_ms: Math.round(atMs) }
}

/**
 * A moment from the disk by the monotonic clock of now; never in the future. While the machine has not been started anew, the
 * monotonic clock tells by itself, whatever was done to the wall clock. After that only the wall clock is left; where it was or is
 * not set, all that is certain is that the moment lies before the start of the machine.
 */
export function restoreMoment({ wallMs, bootMs, bootId }: StoredMoment, now: Now): number {
  const isSameBoot = bootId !== undefined && bootId === now.bootId
  if (isSameBoot && bootMs !== undefined) return Math.min(bootMs, now.monotonicMs)
  if (wallMs >= CLOCK_IS_SET_MS && now.wallMs >= CLOCK_IS_SET_MS) {
    return now.monotonicMs - Math.max(0, now.wallMs - wallMs)
  }
  return now.bootId === undefined ? now.monotonicMs : 0
}
