import type { Level, Smoothed, SmoothingFrame, SmoothingState } from './smoothing-state.js'
import { gauge } from './smoothing-state.js'

// Our own smoothing. It counts time, so that pictures may come every two seconds or every two minutes:
//
//   1. The median of the last five frames: a hand or the head that passes, one or two frames of it, leaves no trace.
//   2. A mean of these over about half a minute: what stays is what counts.
//   3. How far that mean is above the printer's own norm, as a share of what is left above the norm. The norm is learned from
//      frames that look good, over hours, and begins at what good prints usually score: a printer that fails in its first
//      minute is noticed, and a printer with a confusing background is not alerted about.

const MEDIAN_FRAMES = 5
const MEAN_MS = 30_000
/** One frame speaks for at most this long. For the rest of a longer gap nobody knows, and what was known fades to the norm. */
const HOLD_MS = 150_000
/** After a gap as long as this the frames before it say nothing about now. */
const GAP_MS = 300_000
/** After a print's start, and after an answer of the user, things are looked at this long before anything is decided. */
export const WARM_UP_MS = 20_000

/** What a good print scores before the printer's own frames have taught better, and how many hours of them that is worth. */
export const NORM_PRIOR = 0.15
const NORM_PRIOR_MS = 3_600_000
const NORM_MS = 20 * 3_600_000
/** A frame from here on looks failed by itself. */
const LOOKS_FAILED = 0.5
const SHORT_MS = 3_100_000

const WARNING = 0.4
const FAILING = 0.6
const FULL = 0.85

function medianWith(values: readonly number[], missing: number): number {
  const padding = Array<number>(MEDIAN_FRAMES - values.length).fill(missing)
  const sorted = [...values, ...padding].sort((a, b) => a - b)
  return sorted[(MEDIAN_FRAMES - 1) / 2] ?? missing
}

/** A mean that moves towards `target` as far as `ms` of it move a mean over `windowMs`. */
function moveTowards(mean: number, target: number, ms: number, windowMs: number): number {
  return target + (mean - target) * Math.exp(-ms / windowMs)
}

/** A mean over all the time seen so far, and later over the last `windowMs`. */
function runningMean(mean: number, value: number, ms: number, seenMs: number, windowMs: number): number {
  return mean + (value - mean) * (ms / (Math.min(seenMs, windowMs) + ms))
}

/** How far above the printer's norm, from 0 (at it) to 1 (at the top). */
function excess(state: SmoothingState): number {
  return (state.ewm_mean - state.rolling_mean_long) / (1 - state.rolling_mean_long)
}

function levelOf(state: SmoothingState, value: number): Level {
  if ((state.frame_at ?? 0) < state.warm_until) return 'fine'
  if (value > FAILING) return 'failing'
  return value > WARNING ? 'warning' : 'fine'
}

/** Looks afresh from `now` on: what was seen is forgotten, what was learned is kept. */
export function warmUpDefault(state: SmoothingState, now: number): SmoothingState {
  return { ...state, ewm_mean: state.rolling_mean_long, recent: [], normalized_p: 0, warm_until: now + WARM_UP_MS }
}

/** What a print's start or end changes. */
export function startDefault(state: SmoothingState, now: number): SmoothingState {
  const fresh = { ...state, current_frame_num: 0, current_p: 0, rolling_mean_short: 0, watched_ms: 0 }
  return warmUpDefault(fresh, now)
}

/** Adds `ms` of a score to the printer's norm. */
function learn(state: SmoothingState, score: number, ms: number): SmoothingState {
  const norm = runningMean(state.rolling_mean_long, score, ms, NORM_PRIOR_MS + state.learned_ms, NORM_MS)
  return { ...state, rolling_mean_long: norm, learned_ms: state.learned_ms + ms }
}

/** Applies one frame. */
export function applyDefault(before: SmoothingState, frame: SmoothingFrame): Smoothed {
  const isFirst = before.frame_at === null || before.current_frame_num === 0
  const elapsed = isFirst ? 0 : frame.frame_at - (before.frame_at ?? 0)
  const held = Math.min(elapsed, HOLD_MS)
  const norm = before.rolling_mean_long
  const recent = [...(elapsed > GAP_MS ? [] : before.recent), frame.score].slice(-MEDIAN_FRAMES)
  const faded = moveTowards(before.ewm_mean, norm, elapsed - held, MEAN_MS)

  const state = {
    ...before,
    frame_at: frame.frame_at,
    current_frame_num: before.current_frame_num + 1,
    lifetime_frame_num: before.lifetime_frame_num + 1,
    current_p: frame.score,
    recent,
    ewm_mean: moveTowards(faded, medianWith(recent, norm), held, MEAN_MS),
    rolling_mean_short: isFirst
      ? frame.score
      : runningMean(before.rolling_mean_short, frame.score, held, before.watched_ms, SHORT_MS),
    watched_ms: before.watched_ms + held,
  }
  const value = excess(state) * frame.sensitivity
  const looksGood = frame.score < LOOKS_FAILED && value < WARNING
  return {
    state: {
      ...(looksGood ? learn(state, frame.score, held) : state),
      normalized_p: gauge(value, WARNING, FAILING, FULL),
    },
    level: levelOf(state, value),
  }
}
