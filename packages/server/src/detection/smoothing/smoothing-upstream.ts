import type { Level, Smoothed, SmoothingFrame, SmoothingState } from './smoothing-state.js'
import { gauge } from './smoothing-state.js'

// The smoothing that existing installations know: it counts frames, ten seconds apart, and adds up the confidences of a frame.
// Its numbers are kept to the digit so that their thresholds and sensitivities mean the same here.

const EWM_ALPHA = 2 / (12 + 1)
const SHORT_FRAMES = 310
const LONG_FRAMES = 7200
const SAFE_FRAMES = 30
const THRESHOLD_LOW = 0.38
const THRESHOLD_HIGH = 0.78
const SHORT_MULTIPLE = 3.8
/** How much clearer a failure must be for a pause than for a warning. */
const ESCALATION = 1.75

/** A running mean over `window` frames. The first frame counts half: the divisor runs one ahead. */
function rollingMean(mean: number, value: number, frames: number, window: number): number {
  return mean + (value - mean) / (frames >= window ? window : frames + 1)
}

function isFailing(state: SmoothingState, sensitivity: number, escalation: number): boolean {
  if (state.current_frame_num < SAFE_FRAMES) return false
  const excess = ((state.ewm_mean - state.rolling_mean_long) * sensitivity) / escalation
  if (excess < THRESHOLD_LOW) return false
  if (excess > THRESHOLD_HIGH) return true
  return excess > (state.rolling_mean_short - state.rolling_mean_long) * SHORT_MULTIPLE
}

function levelOf(state: SmoothingState, sensitivity: number): Level {
  if (isFailing(state, sensitivity, ESCALATION)) return 'failing'
  return isFailing(state, sensitivity, 1) ? 'warning' : 'fine'
}

function normalized(state: SmoothingState, sensitivity: number): number {
  const drift = (state.rolling_mean_short - state.rolling_mean_long) * SHORT_MULTIPLE
  const warning = Math.min(THRESHOLD_HIGH, Math.max(THRESHOLD_LOW, drift))
  const failing = warning * ESCALATION
  return gauge((state.ewm_mean - state.rolling_mean_long) * sensitivity, warning, failing, failing * 1.5)
}

/** What a print's start or end changes: the printer's long mean and its age stay. */
export function startUpstream(state: SmoothingState): SmoothingState {
  return {
    ...state,
    current_frame_num: 0,
    current_p: 0,
    ewm_mean: 0,
    rolling_mean_short: 0,
    normalized_p: 0,
  }
}

/** Applies one frame. */
export function applyUpstream(before: SmoothingState, frame: SmoothingFrame): Smoothed {
  const p = frame.confidence_sum
  const frames = before.current_frame_num + 1
  const lifetime = before.lifetime_frame_num + 1
  const state = {
    ...before,
    frame_at: frame.frame_at,
    current_frame_num: frames,
    lifetime_frame_num: lifetime,
    current_p: p,
    ewm_mean: p * EWM_ALPHA + before.ewm_mean * (1 - EWM_ALPHA),
    rolling_mean_short: rollingMean(before.rolling_mean_short, p, frames, SHORT_FRAMES),
    rolling_mean_long: rollingMean(before.rolling_mean_long, p, lifetime, LONG_FRAMES),
  }
  return {
    state: { ...state, normalized_p: normalized(state, frame.sensitivity) },
    level: levelOf(state, frame.sensitivity),
  }
}
