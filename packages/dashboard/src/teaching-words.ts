import type { Alert, AnsweredAlert, BacktestResult, PrintSummary } from '@printwarden/sdk'

/** What was done about a failure, in a few words. */
export const OUTCOME_WORDS: Readonly<Record<Alert['outcome'], string>> = {
  warning: 'Warned of a possible failure',
  paused: 'Failure, print paused',
  cancelled: 'Failure, print cancelled',
  undelivered: 'Failure, print could not be paused',
  not_wanted: 'Failure, only told',
  used_up: 'Failure again, only told',
}

/** What an answer has changed, in one sentence. */
export function answerEffect({ calibration, needed_score_before }: AnsweredAlert): string {
  if (calibration === null || needed_score_before === null) return ''
  const before = needed_score_before.toFixed(2)
  const now = calibration.needed_score.toFixed(2)
  if (before === now) return `Alerts on this camera need ${now}, as before.`
  return `Alerts on this camera now need ${now} instead of ${before}.`
}

const ACTION_WORDS = { paused: 'Paused', resumed: 'Resumed', cancelled: 'Cancelled' } as const

/** Who or what paused, resumed or cancelled a print last; undefined when nobody did. */
export function lastActionWords({ last_action: last }: Pick<PrintSummary, 'last_action'>): string | undefined {
  if (last === null) return undefined
  const by = {
    system: 'by Printwarden',
    user: `by ${last.name ?? 'a user'}`,
    app: `by ${last.name ?? 'an app'}`,
    printer: 'at the printer or by its file',
  }
  return `${ACTION_WORDS[last.action]} ${by[last.by]}`
}

type ToldAlert = BacktestResult['would'][number]

const MARK_WORDS: Readonly<Record<ToldAlert['outcome'], string>> = {
  ...{ warning: 'warning', paused: 'pause', cancelled: 'cancel', undelivered: 'pause' },
  ...{ not_wanted: 'alert', used_up: 'alert' },
}

/** One alert as the mark of a chart. */
export const markWords = ({ outcome }: ToldAlert): string => MARK_WORDS[outcome]

/** What would have been done, beside what was: "paused 4 min earlier". */
export function comparison({ would, happened }: Pick<BacktestResult, 'would' | 'happened'>): string {
  const first = (told: readonly ToldAlert[], outcome: 'paused' | undefined) =>
    told.find((alert) => outcome === undefined || alert.outcome === outcome)?.ts
  const [wouldPause, didPause] = [first(would, 'paused'), first(happened, 'paused')]
  if (wouldPause !== undefined && didPause !== undefined) return `Paused ${difference(wouldPause - didPause)}.`
  if (wouldPause !== undefined) return 'It would have been paused; it was not.'
  if (didPause !== undefined) return 'It would not have been paused; it was.'
  const [wouldTell, didTell] = [first(would, undefined), first(happened, undefined)]
  if (wouldTell !== undefined && didTell !== undefined)
    return `Not paused either way; told ${difference(wouldTell - didTell)}.`
  if (wouldTell !== undefined) return 'You would have been told; you were not.'
  return didTell === undefined
    ? 'Nothing would have been told, and nothing was.'
    : 'You would not have been told; you were.'
}

function difference(seconds: number): string {
  const size = Math.abs(seconds)
  if (size < 1) return 'at the same time'
  const text = size < 90 ? `${Math.round(size)} s` : `${Math.round(size / 60)} min`
  return `${text} ${seconds < 0 ? 'earlier' : 'later'}`
}
