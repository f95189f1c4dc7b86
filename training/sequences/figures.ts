import { quantile } from './logit.js'
import { makeRandom } from './random.js'
import type { Outcome } from './replay.js'

/** A figure and its 95 % interval. */
export interface Figure {
  readonly value: number
  readonly low: number
  readonly high: number
}

/** What a policy is worth. Times are in seconds from the first moment in which the failure could be seen; a miss counts as endless. */
export interface Figures {
  readonly goodHours: number
  readonly failing: number
  readonly alertP50: Figure
  readonly alertP90: Figure
  readonly pauseP50: Figure
  readonly pauseP90: Figure
  /** In 100 hours of good printing. */
  readonly falseAlarms: Figure
  readonly falsePauses: Figure
  /** Shares of the failing prints. */
  readonly missedAlerts: Figure
  readonly missedPauses: Figure
  /** Frames looked at in an hour. */
  readonly framesPerHour: number
}

const ROUNDS = 1000

type Measure = (outcomes: readonly Outcome[]) => number

const sum = (outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number =>
  outcomes.reduce((total, outcome) => total + of(outcome), 0)

function delays(outcomes: readonly Outcome[], of: (outcome: Outcome) => number | null): number[] {
  return outcomes.filter((one) => one.isFailing).map((one) => (of(one) ?? Number.POSITIVE_INFINITY) / 1000)
}

function missed(outcomes: readonly Outcome[], of: (outcome: Outcome) => number | null): number {
  const failing = outcomes.filter((one) => one.isFailing)
  return failing.filter((one) => of(one) === null).length / failing.length
}

function per100Hours(outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number {
  return (100 * sum(outcomes, of)) / sum(outcomes, (one) => one.goodHours)
}

const MEASURES = {
  alertP50: (all) =>
    quantile(
      delays(all, (one) => one.alertAfter),
      0.5,
    ),
  alertP90: (all) =>
    quantile(
      delays(all, (one) => one.alertAfter),
      0.9,
    ),
  pauseP50: (all) =>
    quantile(
      delays(all, (one) => one.pauseAfter),
      0.5,
    ),
  pauseP90: (all) =>
    quantile(
      delays(all, (one) => one.pauseAfter),
      0.9,
    ),
  falseAlarms: (all) => per100Hours(all, (one) => one.falseAlarms),
  falsePauses: (all) => per100Hours(all, (one) => one.falsePauses),
  missedAlerts: (all) => missed(all, (one) => one.alertAfter),
  missedPauses: (all) => missed(all, (one) => one.pauseAfter),
} satisfies Record<string, Measure>

/** The figures of a policy's outcomes; intervals are a bootstrap over prints, the same each time. */
export function figuresOf(outcomes: readonly Outcome[], rounds = ROUNDS): Figures {
  const random = makeRandom('bootstrap')
  const samples = Array.from({ length: rounds }, () => outcomes.map(() => random.pick(outcomes)))
  const figure = (measure: Measure): Figure => {
    const values = samples.map(measure).filter((value) => !Number.isNaN(value))
    return { value: measure(outcomes), low: quantile(values, 0.025), high: quantile(values, 0.975) }
  }
  return {
    goodHours: sum(outcomes, (one) => one.goodHours),
    failing: outcomes.filter((one) => one.isFailing).length,
    alertP50: figure(MEASURES.alertP50),
    alertP90: figure(MEASURES.alertP90),
    pauseP50: figure(MEASURES.pauseP50),
    pauseP90: figure(MEASURES.pauseP90),
    falseAlarms: figure(MEASURES.falseAlarms),
    falsePauses: figure(MEASURES.falsePauses),
    missedAlerts: figure(MEASURES.missedAlerts),
    missedPauses: figure(MEASURES.missedPauses),
    framesPerHour: sum(outcomes, (one) => one.frames) / sum(outcomes, (one) => one.watchedHours),
  }
}
