import type { AlertOverwrite, Calibration, DetectionExample } from '@printwarden/protocol'

// What answers of people make of a camera's scores: each moves them a little, within bounds, and less than the one before.

const MAX_OFFSET = 1.5
const FIRST_STEP = 0.5
const USUAL_SCORE = 0.5
const EDGE = 1e-6

/** A score, 0 to 1, moved by an offset in logits. */
export function moved(score: number, offset: number): number {
  if (offset === 0) return score
  const inside = Math.min(1 - EDGE, Math.max(EDGE, score))
  return 1 / (1 + Math.exp(-Math.log(inside / (1 - inside)) - offset))
}

/** What each answer did to the offset, oldest first. */
function stepsOf(examples: readonly { score: number; answer: AlertOverwrite }[]): number[] {
  let offset = 0
  const seen = { FAILED: 0, NOT_FAILED: 0 }
  return examples.map(({ score, answer }) => {
    const now = moved(score, offset)
    const wanted = answer === 'FAILED' ? 1 - now : -now
    const step = (FIRST_STEP * wanted) / Math.sqrt(1 + seen[answer])
    seen[answer] += 1
    const before = offset
    offset = Math.min(MAX_OFFSET, Math.max(-MAX_OFFSET, offset + step))
    return offset - before
  })
}

/** The calibration that these labelled pictures of a camera make, oldest first. */
export function calibrationOf(cameraId: number, examples: readonly DetectionExample[]): Calibration {
  const steps = stepsOf(examples)
  const offset = steps.reduce((sum, step) => sum + step, 0)
  const needed = moved(USUAL_SCORE, -offset)
  const text =
    examples.length === 0
      ? 'Scores of this camera count as the model gives them.'
      : `Because of your answers, alerts on this camera need a score of ${needed.toFixed(2)} instead of ${USUAL_SCORE.toFixed(2)}.`
  return {
    camera_id: cameraId,
    offset,
    max_offset: MAX_OFFSET,
    needed_score: needed,
    usual_score: USUAL_SCORE,
    text,
    answers: examples.map((example, index) => ({ ...example, step: steps[index] ?? 0 })),
  }
}
