/** How long a camera has given one and the same picture, byte for byte. Times are monotonic milliseconds. */
export interface Sameness {
  readonly hash: string
  readonly sinceMs: number
  readonly count: number
}

/** Fewer pictures than this may be alike by chance: a camera that is asked twice within one of its own intervals. */
const SAME_PICTURES = 4
const SAME_MS = 60_000

/** Takes note of a picture. */
export function notePicture(before: Sameness | undefined, hash: string, nowMs: number): Sameness {
  if (before?.hash !== hash) return { hash, sinceMs: nowMs, count: 1 }
  return { ...before, count: before.count + 1 }
}

/**
 * Whether the camera has hung up: a sensor has noise, so two pictures of it are never the same to the last bit, unless they show
 * nothing but black.
 */
export function isFrozen({ sinceMs, count }: Sameness, nowMs: number): boolean {
  return count >= SAME_PICTURES && nowMs - sinceMs >= SAME_MS
}
