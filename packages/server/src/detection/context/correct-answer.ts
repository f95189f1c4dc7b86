import { takeBackUsual } from './context-baseline.js'
import { learnFromAnswer } from './context.js'
import { findAnswer, forgetAnswer, learnAnswer } from './context-prototypes.js'
import type { Findings } from '../detector.js'
import type { Learned } from './learned.js'

// Answers that were learned from, and are taken back. Pure.

export type LearnedAnswer = 'FAILED' | 'NOT_FAILED'

/** Which answer about an alert was learned from; undefined when none was. */
export function learnedAnswer({ prototypes, baseline }: Learned, alertId: number): LearnedAnswer | undefined {
  const isAbout = ({ alert_id }: { readonly alert_id: number | null }): boolean => alert_id === alertId
  if (prototypes.failures.some(isAbout)) return 'FAILED'
  return prototypes.not_failures.some(isAbout) || baseline.accepted.some(isAbout) ? 'NOT_FAILED' : undefined
}

/**
 * The user takes back the answer about an alert, or says the opposite: what was learned from it is forgotten. Of an opposite answer the
 * look of the picture is learned; the places in it only if `seen` is still there.
 */
export function correctAnswer(
  learned: Learned,
  alertId: number,
  answer: LearnedAnswer | null,
  seen?: Pick<Findings, 'map' | 'embedding'>,
): Learned {
  const known = findAnswer(learned.prototypes, alertId)
  const without = {
    ...learned,
    baseline: takeBackUsual(learned.baseline, alertId),
    prototypes: forgetAnswer(learned.prototypes, alertId),
  }
  if (answer === null) return without
  if (seen !== undefined) return learnFromAnswer(without, seen, answer, alertId)
  if (known === undefined) return without
  return { ...without, prototypes: learnAnswer(without.prototypes, known.direction, answer, alertId) }
}
