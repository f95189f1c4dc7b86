import { learnNorm, logOdds, runningMean, SPREAD_PRIOR } from './norm.js'
import type { Level, Smoothed, SmoothingFrame, SmoothingState } from './smoothing-state.js'
import { gauge } from './smoothing-state.js'
import { agreed, vote } from './votes.js'

// Our own smoothing. It counts time, so that pictures may come every two seconds or every two minutes:
//
//   1. Votes of places: a frame counts as far as it and those before it found something in the same place (votes.ts). Where a
//      detector tells no places, the median of the last five frames counts instead. A hand or the head that passes leaves no trace.
//   2. A mean of these over about half a minute: what stays is what counts.
//   3. How high that mean is by itself, and how far above the printer's own norm, as a ratio of odds: both must be high. The norm
//      is learned from frames that look good, over hours, and begins at what good prints usually score: a printer that fails in
//      its first minute is noticed, and a printer with a confusing background is not alerted about (norm.ts). How far is far is
//      measured by how much the printer's good frames vary, and a printer that is known well is asked for less by itself.

const MEDIAN_FRAMES = 5
/** Of the median. */
const MEAN_MS = 30_000
/** Of what places agree on, which is a mean already. */
const PLACED_MS = 10_000
/** One frame speaks for at most this long. For the rest of a longer gap nobody knows, and what was known fades to the norm. */
const HOLD_MS = 150_000
/** After a gap as long as this the frames before it say nothing about now. */
const GAP_MS = 300_000
/** After a print's start, and after an answer of the user, things are looked at this long before anything is decided. */
export const WARM_UP_MS = 20_000

/** A frame from here on looks failed by itself. */
const LOOKS_FAILED = 0.5
const SHORT_MS = 3_100_000

const WARNING = 0.4
const FAILING = 0.6
const FULL = 0.85
/** For a warning the mean must be this high by itself, */
const LEAST_MEAN = 0.35
/** this much less on a printer that is known well, */
const QUIET_SHARE = 0.23
const QUIET_MS = 1_800_000
/** and the logarithm of its odds above that of the norm's: by the first, and so many times what good frames are off the norm. */
const LEAST_RISE = 0.5
const RISE_IN_SPREADS = 2.5
/** However much good frames vary, a mean as high as this is always enough for a pause, */
const SURE = 0.95
/** unless the norm is nearly as high: so far above it, in log-odds, is asked for on any printer. */
const MOST_LENIENT = 1
/** Means of exactly 0 or 1 have no odds. */
const EDGE = 1e-3
/** Findings that are less sure than this beside the score do not explain it: then places have no say. */
const EXPLAINED = 0.5
const FLOOR = 0.08

/** Which ingredients are used. */
export interface SmoothingParts {
  /** The norm is learned; else it stays what good prints usually score. */
  readonly norm: boolean
  /** Printers that are known well are asked for less by itself. */
  readonly quiet: boolean
  /** How far above the norm is far is learned from how much good frames vary; else it is the same for all. */
  readonly spread: boolean
  /** Without places, the median of five frames; else each frame as it is. */
  readonly median: boolean
}

export const ALL_PARTS: SmoothingParts = { norm: true, quiet: true, spread: true, median: true }

function medianWith(values: readonly number[], missing: number): number {
  const padding = Array<number>(MEDIAN_FRAMES - values.length).fill(missing)
  const sorted = [...values, ...padding].sort((a, b) => a - b)
  return sorted[(MEDIAN_FRAMES - 1) / 2] ?? missing
}

/** A mean that moves towards `target` as far as `ms` of it move a mean over `windowMs`. */
function moveTowards(mean: number, target: number, ms: number, windowMs: number): number {
  return target + (mean - target) * Math.exp(-ms / windowMs)
}

/** How bad it looks: 0 at the norm, {@link WARNING} where it is worth a warning. */
function badness(state: SmoothingState, parts: SmoothingParts): number {
  const { ewm_mean, rolling_mean_long, learned_ms, spread } = state
  const trust = parts.quiet ? learned_ms / (learned_ms + QUIET_MS) : 0
  const byItself = ewm_mean / (LEAST_MEAN - QUIET_SHARE * trust)
  const above = (level: number, mean = ewm_mean): number => logOdds(mean, EDGE) - logOdds(level, EDGE)
  const enough = Math.max(MOST_LENIENT, above(rolling_mean_long, SURE) / (FAILING / WARNING))
  const rise = Math.min(enough, LEAST_RISE + RISE_IN_SPREADS * (parts.spread ? spread : SPREAD_PRIOR))
  const beyondNorm = above(rolling_mean_long) / rise
  return WARNING * Math.max(0, Math.min(byItself, beyondNorm))
}

function levelOf(state: SmoothingState, value: number): Level {
  if ((state.frame_at ?? 0) < state.warm_until) return 'fine'
  if (value > FAILING) return 'failing'
  return value > WARNING ? 'warning' : 'fine'
}

/** Looks afresh from `now` on: what was seen is forgotten, what was learned is kept. */
export function warmUpDefault(state: SmoothingState, now: number): SmoothingState {
  return {
    ...state,
    ewm_mean: state.rolling_mean_long,
    recent: [],
    tracks: [],
    normalized_p: 0,
    warm_until: now + WARM_UP_MS,
  }
}

/** What a print's start or end changes. */
export function startDefault(state: SmoothingState, now: number): SmoothingState {
  const fresh = {
    ...state,
    current_frame_num: 0,
    current_p: 0,
    rolling_mean_short: 0,
    watched_ms: 0,
  }
  return warmUpDefault(fresh, now)
}

/** Whether the places in a frame explain its score. */
function isPlaced({ places, score }: SmoothingFrame): boolean {
  if (places === undefined) return false
  return score <= FLOOR || places.some(({ confidence }) => confidence >= score * EXPLAINED)
}

/** The mean after a frame without places. */
function meanWithoutPlaces(
  before: SmoothingState,
  recent: readonly number[],
  held: number,
  parts: SmoothingParts,
): number {
  const norm = before.rolling_mean_long
  const target = parts.median ? medianWith(recent, norm) : (recent.at(-1) ?? norm)
  return moveTowards(before.ewm_mean, target, held, MEAN_MS)
}

/**
 * How bad it would look if what was just seen stayed, on the gauge's scale. Not enough to decide anything, but a reason to look
 * again soon.
 */
export function suspicionDefault(state: SmoothingState): number {
  const seen = Math.max(state.current_p * (state.tracks.length > 0 ? 0 : 1), ...state.tracks.map(({ mean }) => mean))
  const value = badness({ ...state, ewm_mean: Math.max(seen, state.ewm_mean) }, ALL_PARTS)
  return Math.max(state.normalized_p, gauge(value, WARNING, FAILING, FULL))
}

/** Applies one frame. */
export function applyDefault(before: SmoothingState, frame: SmoothingFrame, parts: SmoothingParts): Smoothed {
  const isFirst = before.frame_at === null || before.current_frame_num === 0
  const elapsed = isFirst ? 0 : frame.frame_at - (before.frame_at ?? 0)
  const held = Math.min(elapsed, HOLD_MS)
  const isAfterGap = elapsed > GAP_MS
  const norm = before.rolling_mean_long
  const recent = [...(isAfterGap ? [] : before.recent), frame.score].slice(-MEDIAN_FRAMES)
  const faded = { ...before, ewm_mean: moveTowards(before.ewm_mean, norm, elapsed - held, MEAN_MS) }
  const tracks = vote(isAfterGap ? [] : before.tracks, frame.places ?? [], held)
  const withoutPlaces = meanWithoutPlaces(faded, recent, held, parts)
  const isRelied = isPlaced(frame)
  const placed = Math.max(agreed(tracks), Math.min(norm, withoutPlaces))

  const state = {
    ...before,
    frame_at: frame.frame_at,
    current_frame_num: before.current_frame_num + 1,
    lifetime_frame_num: before.lifetime_frame_num + 1,
    current_p: frame.score,
    recent,
    tracks,
    ewm_mean: isRelied ? moveTowards(faded.ewm_mean, placed, held, PLACED_MS) : withoutPlaces,
    rolling_mean_short: isFirst
      ? frame.score
      : runningMean(before.rolling_mean_short, frame.score, held, before.watched_ms, SHORT_MS),
    watched_ms: before.watched_ms + held,
  }
  const value = badness(state, parts) * frame.sensitivity
  const looksGood = parts.norm && frame.score < LOOKS_FAILED && value < WARNING
  return {
    state: {
      ...(looksGood ? learnNorm(state, frame.score, held) : state),
      normalized_p: gauge(value, WARNING, FAILING, FULL),
    },
    level: levelOf(state, value),
  }
}
