import { CLOCK_SKEW_MS } from '../../clock-skew.js'
import { NORM_PRIOR, SPREAD_PRIOR } from './norm.js'
import {
  ALL_PARTS,
  applyDefault,
  type SmoothingParts,
  startDefault,
  suspicionDefault,
  WARM_UP_MS,
  warmUpDefault,
} from './smoothing-default.js'
import type { Smoothed, SmoothingFrame, SmoothingKind } from './smoothing-state.js'
import { SmoothingState } from './smoothing-state.js'
import { applyUpstream, startUpstream } from './smoothing-upstream.js'

// Single frames are noisy. Smoothing turns them into one value that rises when a failure stays, and says how bad it looks.
// There are two ways, ours and upstream's; both are pure, and both keep the same state.

/** A printer of which nothing is known yet. */
export function newPrinter(kind: SmoothingKind): SmoothingState {
  return {
    kind,
    current_frame_num: 0,
    lifetime_frame_num: 0,
    current_p: 0,
    ewm_mean: kind === 'default' ? NORM_PRIOR : 0,
    rolling_mean_short: 0,
    rolling_mean_long: kind === 'default' ? NORM_PRIOR : 0,
    normalized_p: 0,
    frame_at: null,
    print_id: null,
    answered_at: 0,
    recent: [],
    tracks: [],
    warm_until: 0,
    watched_ms: 0,
    learned_ms: 0,
    spread: SPREAD_PRIOR,
  }
}

/** The state as it was kept, or a new one when it is of another kind (their numbers differ in meaning) or cannot be read. */
export function readState(kept: unknown, kind: SmoothingKind): SmoothingState {
  const parsed = SmoothingState.safeParse(kept)
  return parsed.success && parsed.data.kind === kind ? parsed.data : newPrinter(kind)
}

/** The print that a state should be about. */
export interface FollowedPrint {
  readonly id: number
  readonly started_at: number
  /** When the user last answered an alert of it, 0 if never. */
  readonly answered_at: number
}

/**
 * The state by a clock that says `now`. One that is further ahead than clocks differ was written before the clock was set back: no frame
 * would be newer than it, so it begins afresh with what was learned.
 */
export function byClock(state: SmoothingState, now: number): SmoothingState {
  const isAhead = (state.frame_at ?? 0) > now + CLOCK_SKEW_MS || state.warm_until > now + WARM_UP_MS + CLOCK_SKEW_MS
  return isAhead ? { ...warmUp(state, now), frame_at: null } : state
}

function startPrint(state: SmoothingState, print: FollowedPrint | null, now: number): SmoothingState {
  const started = state.kind === 'upstream' ? startUpstream(state) : startDefault(state, print?.started_at ?? now)
  return { ...started, print_id: print?.id ?? null, answered_at: print?.answered_at ?? 0 }
}

/**
 * Looks afresh instead of deciding from before: after the user's answer to an alert, and when a print goes on. Upstream's way
 * does not know this; there the alert's own rest must do.
 */
export function warmUp(state: SmoothingState, now: number): SmoothingState {
  return state.kind === 'upstream' ? state : warmUpDefault(state, now)
}

/**
 * Brings the state up to what became of the print: another one runs (or, null, none), of which nothing was seen yet, or the user
 * has answered. What was learned about the printer is kept.
 */
export function follow(state: SmoothingState, print: FollowedPrint | null, now: number): SmoothingState {
  if (state.print_id !== (print?.id ?? null)) return startPrint(state, print, now)
  if (print === null || print.answered_at <= state.answered_at) return state
  return { ...warmUp(state, print.answered_at), answered_at: print.answered_at }
}

/**
 * Applies one frame; undefined for a frame that is not newer than the last one.
 *
 * @param parts which ingredients of our own smoothing are used; all but for comparisons
 */
export function applyFrame(
  state: SmoothingState,
  frame: SmoothingFrame,
  parts: SmoothingParts = ALL_PARTS,
): Smoothed | undefined {
  if (state.frame_at !== null && frame.frame_at <= state.frame_at) return undefined
  return state.kind === 'upstream' ? applyUpstream(state, frame) : applyDefault(state, frame, parts)
}

/** How bad it would look if what was just seen stayed, on the gauge's scale: what decides how soon the next frame is wanted. */
export function suspicion(state: SmoothingState): number {
  return state.kind === 'upstream' ? state.normalized_p : suspicionDefault(state)
}
