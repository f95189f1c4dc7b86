import type { ScorePart } from '@printwarden/protocol'

// What a user's answers make of one camera's scores. A handful of clicks moves the scale a little and never switches the model
// off: the shift is bounded, each answer adds less than the one before, and it is worked out anew from the list of answers, so
// that taking one back undoes just what it did.

/** The largest shift, in logits: a score of 0.82 may count as 0.5, and one of 0.18 too, but no more than that. */
export const MAX_OFFSET = 1.5
/** How far the first answers move the scale, in logits. Every further one of the same kind counts less. */
const FIRST_STEP = 0.5
/** Scores of exactly 0 or 1 have no logit. */
const EDGE = 1e-6

export type ExampleAnswer = 'FAILED' | 'NOT_FAILED'

/** One answer about one picture. */
export interface CalibrationExample {
  /** The model's own score of the picture, 0 to 1, before any calibration. */
  readonly score: number
  readonly answer: ExampleAnswer
}

function logit(score: number): number {
  const inside = Math.min(1 - EDGE, Math.max(EDGE, score))
  return Math.log(inside / (1 - inside))
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

/** A score, 0 to 1, moved by an offset in logits: a positive one makes the camera more alarming, a negative one less. */
export function calibrated(score: number, offset: number): number {
  return offset === 0 ? score : sigmoid(logit(score) + offset)
}

/** How wrong the score, as calibrated so far, was about this picture: 0 (it said the same) to 1 (it was sure of the opposite). */
function surprise({ score, answer }: CalibrationExample, offset: number): number {
  const now = calibrated(score, offset)
  return answer === 'FAILED' ? 1 - now : now
}

/** What each answer did to the offset, in the order given: oldest first. Their sum is the camera's offset. */
export function calibrationSteps(examples: readonly CalibrationExample[]): number[] {
  let offset = 0
  const seen = { FAILED: 0, NOT_FAILED: 0 }
  return examples.map((example) => {
    const direction = example.answer === 'FAILED' ? 1 : -1
    // An answer that agrees with the score teaches nothing: good pictures that are labelled as good must not make the camera blind.
    const wanted = (direction * FIRST_STEP * surprise(example, offset)) / Math.sqrt(1 + seen[example.answer])
    seen[example.answer]++
    const before = offset
    offset = Math.min(MAX_OFFSET, Math.max(-MAX_OFFSET, offset + wanted))
    return offset - before
  })
}

/** The offset that these answers make, oldest first; 0 without any. */
export function offsetOf(examples: readonly CalibrationExample[]): number {
  return calibrationSteps(examples).reduce((sum, step) => sum + step, 0)
}

/** The score that the model must give for it to count as `score`: what people are told. */
export function neededScore(score: number, offset: number): number {
  return calibrated(score, -offset)
}

/** A score as it counts, and what made it so. */
export interface CalibratedScore {
  readonly score: number
  readonly parts: readonly ScorePart[]
}

/** Moves a weighed score by what the user's answers have taught, as one more part of it. */
export function withCalibration<Weighed extends CalibratedScore>(weighed: Weighed, offset: number): Weighed {
  if (offset === 0) return weighed
  const after = calibrated(weighed.score, offset)
  return { ...weighed, score: after, parts: [...weighed.parts, { name: 'calibration', before: weighed.score, after }] }
}
