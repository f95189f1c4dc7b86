import type { PrintEventType } from '@printwarden/protocol'

export const PRINT_STATES = ['running', 'paused', 'finished', 'cancelled', 'failed'] as const
export type PrintState = (typeof PRINT_STATES)[number]

/** The part of a print that the lifecycle decides. Instants are whole milliseconds of the server's clock. */
export interface TrackedPrint {
  /** undefined until it is stored. */
  readonly id: number | undefined
  readonly current_print_ts: number
  readonly state: PrintState
  /** Empty until the agent names the file. */
  readonly filename: string
  readonly started_at: number
  readonly finished_at: number | null
  readonly cancelled_at: number | null
  readonly failed_at: number | null
  /** Whether the server concluded that the print has ended; the agent's own event still decides. */
  readonly end_assumed: boolean
  /** In seconds. */
  readonly print_time: number | null
  /** In millimetres. */
  readonly filament_used: number | null
}

/** How far a print is, as last heard: percent, seconds, millimetres. */
export interface PrintProgress {
  readonly completion: number | null
  readonly print_time: number | null
  readonly filament_used: number | null
}

/** An event of the agent; `at` is when it happened, by the server's clock. */
export interface TimedEvent {
  readonly type: PrintEventType
  readonly at: number
}

/** What the history of the printer is told. */
export interface Happening {
  readonly type: 'STARTED' | 'PAUSED' | 'RESUMED' | 'ENDED'
  readonly at: number
  /** A print that was thought to have ended is reported again: nobody made it pause or go on. */
  readonly isFoundAgain?: boolean
}

/** A print after something happened to it. The same object when nothing changed. */
export interface Change {
  readonly print: TrackedPrint
  readonly happenings: readonly Happening[]
}

export const unchanged = (print: TrackedPrint): Change => ({ print, happenings: [] })

export const isEnded = (print: TrackedPrint): boolean => print.state !== 'running' && print.state !== 'paused'

const STATE_OF_END = { PrintDone: 'finished', PrintCancelled: 'cancelled', PrintFailed: 'failed' } as const
type EndState = (typeof STATE_OF_END)[keyof typeof STATE_OF_END]

/** A print that was not known before. */
export function begin(print: Pick<TrackedPrint, 'current_print_ts' | 'filename' | 'started_at'>): Change {
  const none = {
    id: undefined,
    finished_at: null,
    cancelled_at: null,
    failed_at: null,
    print_time: null,
    filament_used: null,
  }
  return {
    print: { ...none, ...print, state: 'running', end_assumed: false },
    happenings: [{ type: 'STARTED', at: print.started_at }],
  }
}

/** Applies one event. A print that the agent itself ended takes no further events, save a start that was under way. */
export function applyEvent(print: TrackedPrint, { type, at }: TimedEvent, progress: PrintProgress): Change {
  if (type === 'PrintStarted') return correctStart(print, at)
  if (isEnded(print) && !print.end_assumed) return unchanged(print)
  if (type !== 'PrintPaused' && type !== 'PrintResumed') return end(print, STATE_OF_END[type], at, progress)
  return isEnded(print) ? unchanged(print) : setPaused(print, type === 'PrintPaused', at)
}

/** Brings the print to running or paused; nothing changes when it is there already. */
export function setPaused(print: TrackedPrint, paused: boolean, at: number): Change {
  const state = paused ? 'paused' : 'running'
  if (print.state === state) return unchanged(print)
  return { print: { ...print, state }, happenings: [{ type: paused ? 'PAUSED' : 'RESUMED', at }] }
}

/** Ends the print as decision 20 says: finished if it was at 100 %, else cancelled. */
export function assumeEnd(print: TrackedPrint, at: number, progress: PrintProgress): Change {
  const { completion } = progress
  const change = end(print, completion !== null && completion >= 100 ? 'finished' : 'cancelled', at, progress)
  return { ...change, print: { ...change.print, end_assumed: true } }
}

/** Takes back an end that was only assumed: the agent reports the print again. */
export function goOn(print: TrackedPrint, paused: boolean, at: number): Change {
  const open = { finished_at: null, cancelled_at: null, failed_at: null, print_time: null, filament_used: null }
  return {
    print: { ...print, ...open, state: paused ? 'paused' : 'running', end_assumed: false },
    happenings: [{ type: paused ? 'PAUSED' : 'RESUMED', at, isFoundAgain: true }],
  }
}

/** A print that was first seen half-way gets its true start from the event. Later and repeated ones change nothing. */
function correctStart(print: TrackedPrint, at: number): Change {
  return at < print.started_at ? unchanged({ ...print, started_at: at }) : unchanged(print)
}

function end(print: TrackedPrint, state: EndState, eventAt: number, progress: PrintProgress): Change {
  const at = Math.max(eventAt, print.started_at)
  return {
    print: {
      ...print,
      state,
      finished_at: state === 'finished' ? at : null,
      // A failed print counts as cancelled too, as existing clients expect (decision 19).
      cancelled_at: state === 'finished' ? null : at,
      failed_at: state === 'failed' ? at : null,
      end_assumed: false,
      print_time: progress.print_time ?? print.print_time ?? (at - print.started_at) / 1000,
      filament_used: progress.filament_used ?? print.filament_used,
    },
    happenings: [{ type: 'ENDED', at }],
  }
}
