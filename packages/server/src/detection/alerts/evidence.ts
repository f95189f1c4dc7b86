import { ActionOnFailure, type AlertEvidence } from '@printwarden/protocol'
import type { CalibratedScore } from '../teaching/calibration.js'
import type { Findings } from '../detector.js'
import type { Frame, FrameContext } from '../frame.js'
import type { Level, SmoothingState } from '../smoothing/smoothing-state.js'

// What an alert was judged by, kept with it so that it can be explained for as long as the print is there.

/** How long before the alert the scores are kept. */
export const HISTORY_MS = 600_000
/** Agents that send every two seconds have this many in that time. */
export const MAX_HISTORY = 400
/** Where the gauge warns, and where it fails. */
export const WARNING_AT = 1 / 3
export const FAILING_AT = 2 / 3

/** One frame as it was decided about. */
export interface Decided {
  /** As the detector gave them. */
  readonly findings: Findings
  readonly state: SmoothingState
  readonly level: Level
  readonly weighed: CalibratedScore
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4
}

/** All that an alert about this frame was judged by. */
export function evidenceOf(
  frame: Frame,
  { printer }: FrameContext,
  { findings, state, level, weighed }: Decided,
  history: AlertEvidence['history'],
): AlertEvidence {
  return {
    rule: {
      smoothing: state.kind,
      level: level === 'failing' ? 'failing' : 'warning',
      score: rounded(findings.score),
      judged_score: rounded(weighed.score),
      mean: rounded(state.ewm_mean),
      norm: rounded(state.rolling_mean_long),
      sensitivity: printer.detective_sensitivity,
      calibration_offset: rounded(frame.camera.calibration_offset),
      normalized_p: rounded(state.normalized_p),
      warning_at: WARNING_AT,
      failing_at: FAILING_AT,
    },
    parts: [...weighed.parts],
    model: findings.model,
    settings: {
      action_on_failure: ActionOnFailure.parse(printer.action_on_failure),
      detective_sensitivity: printer.detective_sensitivity,
      camera: frame.camera.name,
    },
    history: history.slice(-MAX_HISTORY),
  }
}

const hundredths = (value: number): string => value.toFixed(2)

const DONE: Readonly<Record<string, string>> = {
  warning: 'You were warned',
  paused: 'The print was paused',
  cancelled: 'The print was cancelled',
  undelivered: 'The print was to be paused, but no agent took the command',
  not_wanted: 'You were told; Printwarden does not pause this printer',
  used_up: 'You were told; the print had been paused once already',
}

/** The rule and its numbers in plain sentences. */
export function explanationOf({ rule, parts }: AlertEvidence, outcome: string): string {
  const { mean, norm, sensitivity, calibration_offset: offset } = rule
  const what =
    rule.smoothing === 'upstream'
      ? `The findings of the last two minutes add up to ${hundredths(mean)} on average, where this printer's usual value is ${hundredths(norm)}`
      : `The last pictures scored ${hundredths(mean)} on average, where good pictures of this camera score ${hundredths(norm)}`
  const by = sensitivity === 1 ? '' : ` at sensitivity ${hundredths(sensitivity)}`
  const limit =
    rule.level === 'failing' ? 'two thirds, where a print counts as failing' : 'one third, where it is worth a warning'
  const gauge = `That puts the gauge at ${Math.round(rule.normalized_p * 100)}%${by}, above ${limit}`
  const moved = parts.some(({ before, after }) => Math.abs(after - before) >= 0.01)
  const own = moved
    ? ` This picture scored ${hundredths(rule.score)}, which counted as ${hundredths(rule.judged_score)}.`
    : ''
  const taught =
    Math.abs(offset) < 0.01 ? '' : ` Your answers make this camera ${offset > 0 ? 'more' : 'less'} ready to alert.`
  return `${DONE[outcome] ?? 'You were told'}. ${what}. ${gauge}.${own}${taught}`
}
