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
  /** Somebody wants one now: a snapshot command, or somebody who has just begun to look. */
  readonly asked: boolean
}

/** Between pictures of a printer that does nothing and that nobody looks at. */
export const IDLE_CAPTURE_MS = 120_000

/** After a picture that could not be taken, unless the interval is shorter anyway. */
export const RETRY_CAPTURE_MS = 30_000

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

function currentIntervalMs({ printing, viewing, failed, intervalMs }: CaptureState): number {
  const usual = printing || viewing ? intervalMs : IDLE_CAPTURE_MS
  return failed ? Math.min(usual, RETRY_CAPTURE_MS) : usual
}
