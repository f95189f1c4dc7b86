/** Why a picture is taken. */
export type CaptureReason = 'interval' | 'asked'

/** What decides when a camera takes its next picture. Times are monotonic milliseconds. */
export interface CaptureState {
  /** When the interval was last served; undefined before the first picture. */
  readonly lastMs: number | undefined
  /** Whether the last try brought no picture. */
  readonly failed: boolean
  /** The configured interval while printing. */
  readonly intervalMs: number
  readonly printing: boolean
  readonly viewing: boolean
  /** How often the server wants pictures while printing; undefined when it has no wish. */
  readonly wantedMs?: number | undefined
  /** How long the last picture took to be taken; undefined before the first one. */
  readonly tookMs?: number | undefined
  /** Whether the machine has more to do than it can. */
  readonly busy?: boolean
  /** Somebody wants one now: a snapshot command, or somebody who has just begun to look. */
  readonly asked: boolean
}

/** Between pictures of a printer that does nothing and that nobody looks at. */
export const IDLE_CAPTURE_MS = 120_000

/** After a picture that could not be taken, unless the interval is shorter anyway. */
export const RETRY_CAPTURE_MS = 30_000

/** However much the server wants to see, no picture is taken sooner than this after the last. */
export const FASTEST_CAPTURE_MS = 2000

/** A wish of the server that it does not repeat is forgotten after this long. */
export const WISH_HOLDS_MS = 120_000

/** On a machine that is overloaded pictures come this much more seldom, but not less often than this: a print must be seen. */
const BUSY_FACTOR = 3
const BUSY_CAPTURE_MS = 30_000

/** A camera or a host that takes long is not asked for more than a quarter of its time. */
const MOST_BUSY = 1 / 4

/** How long to wait before the next picture; 0 or less means that it is due. */
export function captureDelayMs(state: CaptureState, nowMs: number): number {
  if (state.asked || state.lastMs === undefined) return 0
  return state.lastMs + currentIntervalMs(state) - nowMs
}

/** Why the picture that is due is taken: the interval goes before a wish, since its pictures are also analysed. */
export function captureReason(state: CaptureState, nowMs: number): CaptureReason {
  const served = state.lastMs !== undefined && state.lastMs + currentIntervalMs(state) > nowMs
  return state.asked && served ? 'asked' : 'interval'
}

/**
 * The interval while printing: the configured one, or a shorter one that the server wants, as far as this host can bear. Nothing
 * queues up: what is not taken now is not taken later.
 */
function printingIntervalMs({ intervalMs, wantedMs, tookMs = 0, busy }: CaptureState): number {
  const bearableMs = tookMs / MOST_BUSY
  if (busy) return Math.max(intervalMs, Math.min(Math.max(BUSY_FACTOR * intervalMs, bearableMs), BUSY_CAPTURE_MS))
  const usualMs = Math.max(intervalMs, Math.min(bearableMs, BUSY_CAPTURE_MS))
  if (wantedMs === undefined) return usualMs
  return Math.min(usualMs, Math.max(wantedMs, FASTEST_CAPTURE_MS, bearableMs))
}

function currentIntervalMs(state: CaptureState): number {
  const { printing, viewing, failed, intervalMs } = state
  const usual = printing ? printingIntervalMs(state) : viewing ? intervalMs : IDLE_CAPTURE_MS
  return failed ? Math.min(usual, RETRY_CAPTURE_MS) : usual
}
