import type { Findings } from '../detector.js'
import { decide, type DecisionSettings } from '../decide.js'
import { follow } from '../smoothing/smoothing.js'
import type { SmoothingState } from '../smoothing/smoothing-state.js'

// Can this camera alert at all? A plain failure that stays must lead to an alert; if not, its settings make it blind. Pure.

/** As often as agents send pictures, and for as long as a plain failure may take. */
const FRAME_MS = 10_000
const FRAMES = 60

/** No print has this id. */
const NO_PRINT = -1

/**
 * Whether a new print that looked like this in every picture, for ten minutes, would be alerted about.
 *
 * @param known what was learned of the camera until now
 * @param findings as they count on this camera, but for its calibration
 */
export function alertsInTime(
  known: SmoothingState,
  findings: Pick<Findings, 'score' | 'detections'>,
  settings: DecisionSettings,
  now: number,
): boolean {
  let state = follow(known, { id: NO_PRINT, started_at: now, answered_at: 0 }, now)
  for (let i = 1; i <= FRAMES; i++) {
    const smoothed = decide(state, { ...findings, frame_at: now + i * FRAME_MS }, settings)
    if (smoothed === undefined) continue
    if (smoothed.level !== 'fine') return true
    state = smoothed.state
  }
  return false
}
