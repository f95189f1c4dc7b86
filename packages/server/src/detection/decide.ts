import type { Detection } from '@printwarden/protocol'
import { keptDetections, smoothingFrame, voting } from './frame.js'
import { applyFrame } from './smoothing/smoothing.js'
import type { Smoothed, SmoothingState } from './smoothing/smoothing-state.js'
import { calibrated } from './teaching/calibration.js'

// From what was found in a frame to how bad it looks: one way for live frames, for past prints that are judged again, and for
// self-tests. Pure.

/** A frame as the model and its camera's context have it, before calibration. */
export interface JudgedFrame {
  /** When it was taken, in milliseconds. */
  readonly frame_at: number
  readonly score: number
  readonly detections: readonly Detection[]
}

/** The settings of printer and camera that have a say here. */
export interface DecisionSettings {
  readonly sensitivity: number
  /** In logits. */
  readonly calibration_offset: number
  readonly votes_enabled: boolean
}

/** The state after this frame; undefined for a frame that is not newer than the last one. What is kept of a frame is all that counts. */
export function decide(
  state: SmoothingState,
  { frame_at, score, detections }: JudgedFrame,
  { sensitivity, calibration_offset, votes_enabled }: DecisionSettings,
): Smoothed | undefined {
  const seen = { score: calibrated(score, calibration_offset), detections: keptDetections(detections) }
  const frame = smoothingFrame({ frame_at }, seen, sensitivity, calibration_offset)
  return applyFrame(state, voting(frame, { votes_enabled }))
}
