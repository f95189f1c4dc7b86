import { type CameraProblem, NEW_QUALITY, type QualityState } from '../../printers/watch-state.js'
import { compare, type Look, lookOf, type Thumbnail } from './thumbnail.js'

// Can the camera see? Every picture is judged on a small grey thumbnail, against plain limits and against what this camera's
// pictures are usually like. One bad picture means nothing: the head passes, a lamp is switched. What lasts is told, and taken
// back only once the camera has seen well for a moment.

/** A picture this dark shows nothing: its mean, and its bright parts, of 255. */
const DARK_MEAN = 14
const DARK_TOP = 48
/** Almost everything is white. */
const BRIGHT_SHARE = 0.7
/** Almost everything is of one colour, and nothing has an edge. */
const PLAIN_SPREAD = 7
/** So much less sharp than usual is out of focus. */
const BLURRED_SHARE = 0.3
/** Until the norm has seen this much, nothing is called out of focus. */
const FOCUS_LEARNED_MS = 5 * 60_000
/** How slowly the norm follows: quickly while it knows little, then over hours. */
const FOCUS_NORM_MS = 2 * 3_600_000
/** A blurred camera becomes its own norm in the end: somebody may have turned it to something soft. */
const BLURRED_NORM_MS = 48 * 3_600_000

/**
 * A window that changed by less than this has nothing moving in it: a stream that stands still and is encoded anew each time changes by
 * 2.6 of 255 at most, a patch of 16 × 16 pixels that moves in a picture of 640 × 480 by 5.4 at least.
 */
const STILL_MOST = 3.5
/** More than this is the noise of a sensor that lives, not of an encoder. */
const STILL_MEAN = 1
/** Less than this is no sensor at all. */
const NOISELESS_MEAN = 0.4
const FROZEN_AFTER_MS = 3 * 60_000
/** With a little noise it may be a camera that looks where nothing happens. After this long it is of no more use than a frozen one. */
const NOISY_FROZEN_AFTER_MS = 15 * 60_000
const FROZEN_FRAMES = 5

/** How long a problem must last until it is told. */
const HOLD_MS: Readonly<Record<CameraProblem, number>> = {
  camera_dark: 30_000,
  camera_covered: 60_000,
  camera_overexposed: 60_000,
  camera_frozen: 0,
  camera_blurred: 90_000,
}
const HOLD_FRAMES = 3
/** How long a camera must see well again until that is told. */
const WELL_MS = 10_000
const WELL_FRAMES = 2
/** What is told lasts for many seconds, so that pictures closer than this tell nothing more. */
const LEAST_STEP_MS = 900
/** Pictures further apart than this do not speak for the time between them. */
const LONGEST_STEP_MS = 60_000

/** One picture to be judged. */
export interface JudgedPicture {
  readonly at: number
  readonly thumbnail: Thumbnail
  /** The last picture in which something had changed; null when there is none. */
  readonly anchor: Thumbnail | null
  /** Whether the printer is moving as far as its state tells, so that a good camera's picture changes. */
  readonly isMoving: boolean
}

/** What a picture makes of a camera's state. `isAnchor`: this picture is what the next ones are compared with. */
export interface Judged {
  readonly state: QualityState
  readonly isAnchor: boolean
}

/**
 * Judges one picture. One that is not newer than the last changes nothing; nor does one that comes right after it, as while somebody
 * watches.
 */
export function judgePicture(before: QualityState = NEW_QUALITY, picture: JudgedPicture): Judged {
  const { at } = picture
  if (before.judged_at !== null && at - before.judged_at < LEAST_STEP_MS) return { state: before, isAnchor: false }
  const look = lookOf(picture.thumbnail)
  const stepMs = before.judged_at === null ? 0 : Math.min(at - before.judged_at, LONGEST_STEP_MS)
  const still = followStillness(before, picture)
  const problem = problemOf(look, { ...before, ...still }, at)
  const told = tell({ ...before, ...still }, problem, at)
  const learned = learnFocus(told, look, problem, stepMs)
  return { state: { ...learned, judged_at: at }, isAnchor: still.still_frames <= 1 }
}

function followStillness(
  before: QualityState,
  { at, thumbnail, anchor, isMoving }: JudgedPicture,
): Pick<QualityState, 'still_since' | 'still_frames' | 'still_mean'> {
  const changed = { still_since: at, still_frames: 1, still_mean: 0 }
  const isGap = before.judged_at !== null && at - before.judged_at > FROZEN_AFTER_MS
  if (!isMoving || anchor === null || isGap) return changed
  const { mean, isAnywhereMore } = compare(anchor, thumbnail)
  // Where the one tells that something changed, which is nearly always, the other need not be measured.
  if (mean > STILL_MEAN || isAnywhereMore(STILL_MOST)) return changed
  const { still_since, still_frames, still_mean } = before
  return { still_since: still_since ?? at, still_frames: still_frames + 1, still_mean: Math.max(still_mean, mean) }
}

/** What is wrong with this one picture. */
function problemOf(look: Look, state: QualityState, at: number): CameraProblem | null {
  if (look.mean < DARK_MEAN && look.top < DARK_TOP) return 'camera_dark'
  if (look.brightShare > BRIGHT_SHARE) return 'camera_overexposed'
  if (look.spread < PLAIN_SPREAD) return 'camera_covered'
  const stillMs = at - (state.still_since ?? at)
  const frozenAfterMs = state.still_mean <= NOISELESS_MEAN ? FROZEN_AFTER_MS : NOISY_FROZEN_AFTER_MS
  if (stillMs >= frozenAfterMs && state.still_frames >= FROZEN_FRAMES) return 'camera_frozen'
  const isKnown = state.focus_norm !== null && state.focus_ms >= FOCUS_LEARNED_MS
  return isKnown && look.focus < (state.focus_norm ?? 0) * BLURRED_SHARE ? 'camera_blurred' : null
}

function tell(state: QualityState, problem: CameraProblem | null, at: number): QualityState {
  if (problem === null) {
    const good_since = state.good_since ?? at
    const good_frames = state.good_frames + 1
    const isWell = good_frames >= WELL_FRAMES && at - good_since >= WELL_MS
    return {
      ...state,
      good_since,
      good_frames,
      bad_since: null,
      bad_frames: 0,
      problem: isWell ? null : state.problem,
    }
  }
  const bad_since = state.bad_since ?? at
  const bad_frames = state.bad_frames + 1
  const isBad = bad_frames >= HOLD_FRAMES && at - bad_since >= HOLD_MS[problem]
  return { ...state, bad_since, bad_frames, good_since: null, good_frames: 0, problem: isBad ? problem : state.problem }
}

function learnFocus(state: QualityState, look: Look, problem: CameraProblem | null, stepMs: number): QualityState {
  if (problem !== null && problem !== 'camera_blurred') return state
  if (state.focus_norm === null) return { ...state, focus_norm: look.focus }
  const window = problem === null ? Math.min(FOCUS_NORM_MS, state.focus_ms + stepMs) : BLURRED_NORM_MS
  const share = window === 0 ? 0 : stepMs / window
  return {
    ...state,
    focus_norm: state.focus_norm + (look.focus - state.focus_norm) * share,
    focus_ms: problem === null ? state.focus_ms + stepMs : state.focus_ms,
  }
}
