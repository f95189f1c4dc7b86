import type { Findings } from '../detector.js'
import { smoothingFrame, voting } from '../frame.js'
import { applyFrame, follow } from '../smoothing/smoothing.js'
import type { SmoothingState } from '../smoothing/smoothing-state.js'
import { calibrated } from '../teaching/calibration.js'

// Can this camera alert at all? A plain failure that stays must lead to an alert; if not, its settings make it blind. Pure.

/** As often as agents send pictures, and for as long as a plain failure may take. */
const FRAME_MS = 10_000
const FRAMES = 60

/** No print has this id. */
const NO_PRINT = -1

export interface AlertSettings {
  readonly sensitivity: number
  readonly calibration_offset: number
  readonly votes_enabled: boolean
}

/**
 * Whether a new print that looked like this in every picture, for ten minutes, would be alerted about.
 *
 * @param known what was learned of the camera until now
 * @param findings as they count on this camera, but for its calibration
 */
export function alertsInTime(
  known: SmoothingState,
  findings: Pick<Findings, 'score' | 'detections'>,
  settings: AlertSettings,
  now: number,
): boolean {
  const { sensitivity, calibration_offset } = settings
  const seen = { score: calibrated(findings.score, calibration_offset), detections: findings.detections }
  let state = follow(known, { id: NO_PRINT, started_at: now, answered_at: 0 }, now)
  for (let i = 1; i <= FRAMES; i++) {
    const frame = smoothingFrame({ frame_at: now + i * FRAME_MS }, seen, sensitivity, calibration_offset)
    const smoothed = applyFrame(state, voting(frame, settings))
    if (smoothed === undefined) continue
    if (smoothed.level !== 'fine') return true
    state = smoothed.state
  }
  return false
}
