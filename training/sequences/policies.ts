import { DEFAULT_CAMERA_SETTINGS } from '@printwarden/protocol'
import type { CameraParts } from './camera.js'
import { wantedIntervalMs } from '../../packages/server/src/detection/cameras/cadence.js'
import { voting } from '../../packages/server/src/detection/frame.js'
import { applyFrame, suspicion } from '../../packages/server/src/detection/smoothing/smoothing.js'
import { ALL_PARTS, type SmoothingParts } from '../../packages/server/src/detection/smoothing/smoothing-default.js'
import type {
  Smoothed,
  SmoothingFrame,
  SmoothingKind,
  SmoothingState,
} from '../../packages/server/src/detection/smoothing/smoothing-state.js'

/** One way to decide, as a row of the table. */
export interface Policy {
  readonly name: string
  readonly kind: SmoothingKind
  readonly sensitivity: number
  readonly apply: (state: SmoothingState, frame: SmoothingFrame) => Smoothed | undefined
  /** What else is known of the camera; absent: the model's score as it is. */
  readonly camera?: CameraParts
  /** How soon the next frame is wanted, in milliseconds; absent: at the agent's own pace. */
  readonly cadence?: (state: SmoothingState) => number
}

/** Nothing is known of the camera but the user's answers. */
const CAMERA: CameraParts = { settings: {}, calibration: true }
const BASELINE: CameraParts = { settings: { baseline_enabled: true }, calibration: true }

function ours(name: string, without: Partial<SmoothingParts>, more: Partial<Policy> = {}): Policy {
  const parts = { ...ALL_PARTS, ...without }
  const apply: Policy['apply'] = (state, frame) => applyFrame(state, frame, parts)
  return { name, kind: 'default', sensitivity: 1, apply, camera: CAMERA, ...more }
}

const withoutPlaces: Policy['apply'] = (state, frame) => applyFrame(state, voting(frame, { votes_enabled: false }))

const asScore: Policy['apply'] = (state, frame) => applyFrame(state, { ...frame, confidence_sum: frame.score })

const withoutMedian: Policy['apply'] = (state, frame) =>
  applyFrame(state, voting(frame, { votes_enabled: false }), { ...ALL_PARTS, median: false })

/** Agents take pictures this often unless they are asked for more. */
const USUAL_MS = 10_000

const cadence: Policy['cadence'] = (state) => wantedIntervalMs(suspicion(state)) ?? USUAL_MS

/**
 * The rows of the table. Upstream's smoothing adds up the confidences of all boxes of a frame; with a model that tells many boxes
 * its fixed thresholds mean little, so it is also given the picture's score alone, and a sensitivity that makes it no more careful
 * than ours. What is left out of ours is left out one at a time.
 */
export const POLICIES: readonly Policy[] = [
  { name: 'upstream', kind: 'upstream', sensitivity: 1, apply: applyFrame },
  { name: 'upstream, score', kind: 'upstream', sensitivity: 1, apply: asScore },
  { name: 'upstream, score, sensitivity 1.2', kind: 'upstream', sensitivity: 1.2, apply: asScore },
  ours('default', {}),
  ours('default, adaptive cadence', {}, { cadence }),
  ours('default, baseline map', {}, { camera: BASELINE }),
  ours('default, baseline map, adaptive cadence', {}, { camera: BASELINE, cadence }),
  ours('default, baseline map, adaptive cadence, sensitivity 1.5', {}, { camera: BASELINE, cadence, sensitivity: 1.5 }),
  ours('default, baseline map, adaptive cadence, sensitivity 3', {}, { camera: BASELINE, cadence, sensitivity: 3 }),
  ours('without votes (median)', {}, { apply: withoutPlaces }),
  ours('without votes or median', {}, { apply: withoutMedian }),
  ours('without a learned norm', { norm: false }),
  ours('without asking quiet printers for less', { quiet: false }),
  ours('without the spread of good frames', { spread: false }),
  ours('without calibration', {}, { camera: { settings: {}, calibration: false } }),
]

function known(name: string, settings: CameraParts['settings'], more: Partial<CameraParts> = {}): Policy {
  return ours(name, {}, { camera: { settings, calibration: true, ...more } })
}

/** The rows of the table of what is known of a camera: each part alone against none. For timelines that have pictures. */
export const CONTEXT_POLICIES: readonly Policy[] = [
  known('nothing', {}),
  known('ignored regions', {}, { marked: 'regions' }),
  known('bed area', {}, { marked: 'bed' }),
  known('tiles, auto', { tiles: 'auto' }),
  known('tiles, always', { tiles: 'always' }),
  known('clean bed', { clean_bed_enabled: true }),
  known('baseline map', { baseline_enabled: true }),
  known('prototypes', { prototypes_enabled: true }),
  ours('adaptive cadence', {}, { cadence }),
  known('clean bed, baseline map', { clean_bed_enabled: true, baseline_enabled: true }),
  ours('as a new camera is set', {}, { camera: { settings: DEFAULT_CAMERA_SETTINGS, calibration: true }, cadence }),
]
