import type { CameraSettings, Detection, ScorePart, UnusedReason } from '@printwarden/protocol'
import { calibrated } from '../teaching/calibration.js'
import { viewOf } from '../cameras/camera-settings.js'
import { acceptAsUsual, baselineTrust, beyondBaseline, distrust, learnBaseline } from './context-baseline.js'
import {
  bedsFor,
  beyondCleanBed,
  type CleanBedProblem,
  compareWithCleanBed,
  keepCleanBed,
} from './context-clean-bed.js'
import { directionOf, learnAnswer, learnClean, prototypeShift } from './context-prototypes.js'
import type { Findings } from '../detector.js'
import { shownBoxes } from '../draw-boxes.js'
import { isKeepable, type Learned } from './learned.js'
import { cellOf, highest, lowerOf, type ScoreMap } from './score-map.js'
import { isInAny } from './polygon.js'

// What a frame's findings mean on this camera: the model's own score, less what is known of the camera and its bed. Pure.

/** Findings once the context was taken into account. */
export interface Weighed {
  readonly score: number
  readonly detections: readonly Detection[]
  /** What each part of the context did, in order. */
  readonly parts: readonly ScorePart[]
}

/** The findings as they count. Boxes that were explained away are not shown either. */
export function judgedFindings(findings: Findings, { score, detections }: Weighed): Findings {
  const tagged = shownBoxes(detections).length === 0 ? null : findings.tagged
  return { ...findings, score, detections, tagged }
}

/** Boxes below this are no findings any more. */
const FLOOR = 0.08

interface Step {
  readonly score: number
  readonly map: ScoreMap | undefined
  readonly detections: readonly Detection[]
  readonly parts: readonly ScorePart[]
}

/**
 * Weighs one frame of the print `printId`.
 *
 * @param startedAt when the print began; without it no picture from before it is compared with
 */
export function weigh(
  findings: Findings,
  settings: CameraSettings,
  learned: Learned,
  printId: number,
  startedAt = 0,
): Weighed {
  const start: Step = { score: findings.score, map: findings.map, detections: findings.detections, parts: [] }
  const steps = [
    leaveOut(settings),
    tellTiles,
    cleanBed(settings, learned, { id: printId, started_at: startedAt }),
    baseline(settings, learned),
    prototypes(settings, learned),
  ]
  const { score, detections, parts } = steps.reduce((step, apply) => apply(step, findings), start)
  return { score, detections, parts }
}

type Apply = (step: Step, findings: Findings) => Step

/** Detectors that look at regions by themselves leave out their boxes; for the others it is done here. */
function leaveOut({ ignore_regions, ignore_regions_enabled }: CameraSettings): Apply {
  return (step, { leftOut, size }) => {
    if (!ignore_regions_enabled || ignore_regions.length === 0) return step
    const { score } = step
    if (leftOut !== undefined) {
      return told(step, { name: 'ignore_regions', before: score, after: score, boxes_left_out: leftOut })
    }
    if (size === undefined) return told(step, unused('ignore_regions', score, 'not_supported'))
    const [width, height] = size
    const kept = step.detections.filter(([, , [x, y]]) => !isInAny([x / width, y / height], ignore_regions))
    const boxes_left_out = step.detections.length - kept.length
    // With the best box its score goes: what is left is as sure as the best of the others.
    const best = (some: readonly Detection[]): number => Math.max(0, ...some.map(([, confidence]) => confidence))
    const share = boxes_left_out === 0 ? 1 : best(kept) / Math.max(best(step.detections), FLOOR)
    const after = score * share
    return told(
      { ...step, score: after, detections: kept },
      { name: 'ignore_regions', before: score, after, boxes_left_out },
    )
  }
}

const tellTiles: Apply = (step, { untiledScore }) =>
  untiledScore === undefined ? step : told(step, { name: 'tiles', before: untiledScore, after: step.score })

/** What the print's first frames or the last picture before it explain: of both, whichever explains more of a place. */
function cleanBed(settings: CameraSettings, learned: Learned, print: { id: number; started_at: number }): Apply {
  return (step, { thumb, size }) => {
    if (!settings.clean_bed_enabled) return step
    const { map, score } = step
    if (map === undefined || thumb === undefined || size === undefined)
      return told(step, unused('clean_bed', score, 'not_supported'))
    let problem: CleanBedProblem | undefined
    let after: ScoreMap | undefined
    for (const bed of bedsFor(learned, print, viewOf(settings))) {
      const compared = compareWithCleanBed(bed.thumb, thumb)
      if ('problem' in compared) problem ??= compared.problem
      else {
        const rest = beyondCleanBed(map, bed, wholeCells(compared.unchanged, settings))
        after = after === undefined ? rest : lowerOf(after, rest)
      }
    }
    if (after === undefined) return told(step, unused('clean_bed', score, problem ?? 'no_reference'))
    return damped(step, 'clean_bed', after, size)
  }
}

/** A comparison of a crop, as cells of the whole picture. What lies outside of the crop is not seen, so it has not changed. */
function wholeCells(unchanged: Float32Array, { bed_crop }: CameraSettings): Float32Array {
  if (bed_crop === null) return unchanged
  const side = Math.sqrt(unchanged.length)
  return unchanged.map((_, cell) => {
    const x = ((cell % side) + 0.5) / side
    const y = (Math.floor(cell / side) + 0.5) / side
    const column = Math.floor(((x - bed_crop.x) / bed_crop.width) * side)
    const row = Math.floor(((y - bed_crop.y) / bed_crop.height) * side)
    return row < 0 || column < 0 || row >= side || column >= side ? 1 : (unchanged[row * side + column] ?? 0)
  })
}

function baseline(settings: CameraSettings, { baseline: known }: Learned): Apply {
  return (step, { size }) => {
    if (!settings.baseline_enabled) return step
    if (step.map === undefined || size === undefined) return told(step, unused('baseline', step.score, 'not_supported'))
    if (baselineTrust(known) === 0) return told(step, unused('baseline', step.score, 'nothing_learned'))
    return damped(step, 'baseline', beyondBaseline(step.map, known), size)
  }
}

function prototypes(settings: CameraSettings, { prototypes: known }: Learned): Apply {
  return (step, { embedding }) => {
    if (!settings.prototypes_enabled) return step
    const { score, detections } = step
    const direction = embedding && directionOf(embedding)
    if (direction === undefined) return told(step, unused('prototypes', score, 'not_supported'))
    if (known.clean.length + known.failures.length + known.not_failures.length === 0) {
      return told(step, unused('prototypes', score, 'nothing_learned'))
    }
    const shift = prototypeShift(known, direction)
    const after = calibrated(score, shift)
    const shifted = detections.map(([label, confidence, box]): Detection => [label, calibrated(confidence, shift), box])
    return told({ ...step, score: after, detections: shifted }, { name: 'prototypes', before: score, after })
  }
}

/** The step with another map: the score falls as its best cell does, a box as its own cell does. */
function damped(step: Step, name: ScorePart['name'], after: ScoreMap, size: readonly [number, number]): Step {
  const before = step.map ?? after
  const share = (from: number, to: number): number => (from > 0 ? to / from : 1)
  const score = step.score * share(highest(before), highest(after))
  const detections = step.detections
    .map((detection): Detection => {
      const [label, confidence, box] = detection
      const cell = cellOf(detection, size)
      return [label, confidence * share(before[cell] ?? 0, after[cell] ?? 0), box]
    })
    .filter(([, confidence]) => confidence > FLOOR)
    .sort(([, a], [, b]) => b - a)
  return told({ ...step, score, map: after, detections }, { name, before: step.score, after: score })
}

function told(step: Step, part: ScorePart): Step {
  return { ...step, parts: [...step.parts, part] }
}

function unused(name: ScorePart['name'], score: number, reason: UnusedReason): ScorePart {
  return { name, before: score, after: score, unused: reason }
}

/** A frame before it is weighed: the first ones of a print become its reference. */
export function takeReference(
  learned: Learned,
  { map, thumb }: Findings,
  settings: CameraSettings,
  frame: { readonly print_id: number; readonly taken_at: number; readonly started_at: number },
): Learned {
  if (map === undefined || thumb === undefined) return learned
  const { print_id, taken_at, started_at } = frame
  const clean_bed = keepCleanBed(
    learned.clean_bed,
    { print_id, taken_at, look: viewOf(settings), thumb, map },
    started_at,
  )
  return clean_bed === learned.clean_bed ? learned : { ...learned, clean_bed }
}

/** Frames that are judged worse than this are not learned from. */
const LOOKS_GOOD = 0.5

/** A frame after it was judged. */
export interface Judged {
  readonly score: number
  /** Whether nothing points to a failure: neither this frame nor those before it, nor an alert that stands. */
  readonly isFine: boolean
  /** The time since the camera's last frame. */
  readonly sinceMs: number
}

/** Learns from a frame, if it looks good; if not, those just before it are not learned from either. */
export function learnFrom(learned: Learned, { map, embedding }: Findings, { score, isFine, sinceMs }: Judged): Learned {
  if (!isFine || score >= LOOKS_GOOD) return { ...learned, baseline: distrust(learned.baseline) }
  const direction = embedding && directionOf(embedding)
  return {
    ...learned,
    baseline: map === undefined ? learned.baseline : learnBaseline(learned.baseline, map, sinceMs),
    prototypes:
      direction === undefined || !isKeepable(direction)
        ? learned.prototypes
        : learnClean(learned.prototypes, direction, sinceMs),
  }
}

/**
 * Learns from the user's answer about a picture.
 *
 * @param alertId the alert that the answer is about; null when it can never be taken back
 */
export function learnFromAnswer(
  learned: Learned,
  { map, embedding }: Pick<Findings, 'map' | 'embedding'>,
  answer: 'FAILED' | 'NOT_FAILED',
  alertId: number | null = null,
): Learned {
  const direction = embedding && directionOf(embedding)
  const isUsual = answer === 'NOT_FAILED' && map !== undefined
  return {
    ...learned,
    baseline: isUsual ? acceptAsUsual(learned.baseline, map, alertId) : distrust(learned.baseline),
    prototypes:
      direction === undefined || !isKeepable(direction)
        ? learned.prototypes
        : learnAnswer(learned.prototypes, direction, answer, alertId),
  }
}
