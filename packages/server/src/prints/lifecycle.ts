import { NO_PRINT } from '@printwarden/protocol'
import {
  applyEvent,
  assumeEnd,
  begin,
  type Change,
  goOn,
  type Happening,
  isEnded,
  type PrintProgress,
  setPaused,
  type TimedEvent,
  type TrackedPrint,
  unchanged,
} from './tracked-print.js'

/**
 * How long a print stays open after the agent says that nothing prints (`current_print_ts` −1) without having said how the
 * print ended. The end event carries the truth and may be right behind, so −1 alone ends nothing at once.
 */
export const END_EVENT_GRACE_MS = 5000

/** What is known of a printer's prints between two messages. */
export interface Tracking {
  readonly running: TrackedPrint | undefined
  /** Of the running print. Lives in memory only. */
  readonly progress: PrintProgress
  /** Since when nothing prints, as the agent says, although no event ended the running print. */
  readonly idle_since: number | undefined
}

/** One message of an agent, as far as prints are concerned. */
export interface Report {
  readonly current_print_ts: number
  readonly event: TimedEvent | undefined
  /** The server's time of receipt. */
  readonly at: number
  /** Older than a status that was applied: only the event counts. */
  readonly late: boolean
  /** The host cannot be reached, so nothing new is known about the print. */
  readonly offline: boolean
  /** By the flags; undefined in between, while pausing, resuming or ending. */
  readonly paused: boolean | undefined
  readonly filename: string | undefined
  readonly progress: PrintProgress
  /** The stored print of this `current_print_ts`, when it is not the running one. */
  readonly recorded: TrackedPrint | undefined
}

/** What is to be done. `save` stores a print: a new one has no id yet. `tell` is for the printer's history. */
export type Effect =
  | { readonly type: 'save'; readonly print: TrackedPrint }
  | { readonly type: 'tell'; readonly print: TrackedPrint; readonly happening: Happening }

export interface Step {
  readonly tracking: Tracking
  /** In the order in which they must be carried out: one print ends before the next one starts. */
  readonly effects: readonly Effect[]
}

export const NO_PROGRESS: PrintProgress = { completion: null, print_time: null, filament_used: null }

/** A printer on which nothing prints. */
export const NOTHING_RUNS: Tracking = { running: undefined, progress: NO_PROGRESS, idle_since: undefined }

/**
 * Applies one message of an agent to what is known of its printer's prints (decisions 17–20 and 25).
 *
 * - A print starts with `PrintStarted`, or when a `current_print_ts` is seen for the first time (the agent came late).
 * - Another `current_print_ts` ends the running print: finished if it was at 100 %, else cancelled (decision 20). So does −1
 *   after a grace. Both ends are assumed: the agent's own event, coming later, corrects them, and a print that was only
 *   assumed to have ended goes on when it is reported again.
 * - What an event ended stays as it is: each timestamp is set once, repeated and late events change nothing.
 * - Offline ends nothing.
 */
export function applyReport(tracking: Tracking, report: Report): Step {
  const { running } = tracking
  if (report.late && report.event === undefined) return noStep(tracking)
  if (report.current_print_ts === NO_PRINT) return applyIdle(tracking, report)
  if (running?.current_print_ts === report.current_print_ts) return applyToRunning(tracking, running, report)
  if (report.recorded === undefined) return applyToUnknown(tracking, report)
  if (isEnded(report.recorded)) return applyToEnded(tracking, report.recorded, report)
  return applyToRunning(NOTHING_RUNS, report.recorded, report)
}

/** Ends the running print when the grace is over, if no message did so before. */
export function settle(tracking: Tracking, at: number): Step {
  const { running, progress, idle_since } = tracking
  if (running === undefined || idle_since === undefined) return noStep(tracking)
  if (at < idle_since + END_EVENT_GRACE_MS) return noStep(tracking)
  return { tracking: NOTHING_RUNS, effects: effectsOf(running, assumeEnd(running, idle_since, progress)) }
}

/** When `settle` will have something to do; undefined when nothing is pending. */
export function settleDueAt({ idle_since }: Tracking): number | undefined {
  return idle_since === undefined ? undefined : idle_since + END_EVENT_GRACE_MS
}

const noStep = (tracking: Tracking): Step => ({ tracking, effects: [] })

/** The agent says that nothing prints. An event without a print's name can only mean the running one. */
function applyIdle(tracking: Tracking, report: Report): Step {
  const { running, progress } = tracking
  if (running === undefined) return noStep(tracking)
  if (report.event !== undefined) {
    const fromBefore = report.event.at < running.started_at || report.event.type === 'PrintStarted'
    return fromBefore ? noStep(tracking) : applyToRunning(tracking, running, report)
  }
  if (report.offline) return noStep(tracking)
  // A host shows 100 % after the end only for a print that was finished.
  const isComplete = (report.progress.completion ?? 0) >= 100
  const completion = isComplete ? 100 : progress.completion
  const idle_since = tracking.idle_since ?? report.at
  return settle({ running, progress: { ...progress, completion }, idle_since }, report.at)
}

function applyToRunning(tracking: Tracking, running: TrackedPrint, report: Report): Step {
  const newest = mergeProgress(tracking.progress, report.progress)
  const change = withFilename(changeOf(running, report, newest), report.filename)
  const effects = effectsOf(running, change)
  if (isEnded(change.print)) return { tracking: NOTHING_RUNS, effects }
  if (report.late) return { tracking: { ...tracking, running: change.print }, effects }
  return { tracking: { running: change.print, progress: newest, idle_since: undefined }, effects }
}

/** Events decide; without one the flags mend the state after an event was lost. */
function changeOf(print: TrackedPrint, report: Report, progress: PrintProgress): Change {
  if (report.event !== undefined) return applyEvent(print, report.event, progress)
  return report.paused === undefined ? unchanged(print) : setPaused(print, report.paused, report.at)
}

/** A print that is not stored yet: it takes the place of the running one, unless it is from before. */
function applyToUnknown(tracking: Tracking, report: Report): Step {
  const { running } = tracking
  if (report.late && running !== undefined) return { tracking, effects: recordBeside(running, report) }
  const started_at = report.event?.at ?? report.at
  const ended = running ? effectsOf(running, assumeEnd(running, startOf(report), tracking.progress)) : []
  const first = begin({ current_print_ts: report.current_print_ts, filename: report.filename ?? '', started_at })
  const change = joined(first, changeOf(first.print, report, report.progress))
  const next = isEnded(change.print)
    ? NOTHING_RUNS
    : { ...NOTHING_RUNS, running: change.print, progress: report.progress }
  return { tracking: next, effects: [...ended, ...effectsOf(undefined, change)] }
}

/** When the next print took the place of the one before. */
const startOf = ({ event, at }: Report): number => (event?.type === 'PrintStarted' ? event.at : at)

/** A late event of a print that ended before the running one began. How it ended may still be told. */
function recordBeside(running: TrackedPrint, report: Report): Effect[] {
  const started_at = report.event?.at ?? report.at
  const first = begin({ current_print_ts: report.current_print_ts, filename: report.filename ?? '', started_at })
  const change = joined(first, changeOf(first.print, report, report.progress))
  if (isEnded(change.print)) return effectsOf(undefined, change)
  const { print } = assumeEnd(change.print, running.started_at, report.progress)
  return effectsOf(undefined, { ...change, print })
}

/** A print that has ended: nothing, unless the end was only assumed. */
function applyToEnded(tracking: Tracking, recorded: TrackedPrint, report: Report): Step {
  const told = report.event ? applyEvent(recorded, report.event, report.progress) : unchanged(recorded)
  const isStillAssumed = told.print.end_assumed && !report.late && tracking.running === undefined
  if (!isStillAssumed) return { tracking, effects: effectsOf(recorded, told) }
  const isPaused = report.event?.type === 'PrintPaused' || report.paused === true
  const change = goOn(told.print, isPaused, report.at)
  return {
    tracking: { running: change.print, progress: report.progress, idle_since: undefined },
    effects: effectsOf(recorded, change),
  }
}

const joined = (first: Change, then: Change): Change => ({
  print: then.print,
  happenings: [...first.happenings, ...then.happenings],
})

/** Numbers of a print only grow, but hosts forget them at the end; what is not told stays as it was. */
function mergeProgress(known: PrintProgress, told: PrintProgress): PrintProgress {
  return {
    completion: told.completion ?? known.completion,
    print_time: largest(known.print_time, told.print_time),
    filament_used: largest(known.filament_used, told.filament_used),
  }
}

function largest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.max(a, b)
}

function withFilename(change: Change, filename: string | undefined): Change {
  if (filename === undefined || filename === '' || change.print.filename !== '') return change
  return { ...change, print: { ...change.print, filename } }
}

function effectsOf(before: TrackedPrint | undefined, { print, happenings }: Change): Effect[] {
  if (print === before) return []
  return [{ type: 'save', print }, ...happenings.map((happening) => ({ type: 'tell', print, happening }) as const)]
}
