import type { HostPhase, PrintOutcome } from '../../host.js'
import { isActive } from '../../tracking/host-state.js'
import type { FirmwareLine } from './reports.js'

/** A print from the printer's own SD card, as far as it can be told from outside. */
export interface Watched {
  readonly phase: HostPhase
  readonly outcome: PrintOutcome | null
  /** Whether the printer has said since the connection was made if it prints. */
  readonly known: boolean
  readonly fileName: string | null
  readonly byte: number
  readonly size: number
  /** Reports in a row that said nothing is printed, while we thought otherwise. */
  readonly idleReports: number
  /** Reports in a row of a paused print whose position had moved on. */
  readonly movedReports: number
  /** Whether the printer has answered the pause or the resume that it was asked for. Before that its reports are of the time before. */
  readonly answered: boolean
  readonly error: string | null
}

export type WatchedEvent = 'started' | 'paused' | 'resumed' | PrintOutcome

export type WatchInput =
  | { readonly type: 'line'; readonly line: FirmwareLine }
  | { readonly type: 'command'; readonly command: 'pause' | 'resume' | 'cancel' }
  | { readonly type: 'answered' }
  | { readonly type: 'disconnected' }

export interface WatchStep {
  readonly watched: Watched
  readonly events: readonly WatchedEvent[]
}

export const NEW_WATCHED: Watched = {
  phase: 'offline',
  outcome: null,
  known: false,
  fileName: null,
  byte: 0,
  size: 0,
  idleReports: 0,
  movedReports: 0,
  answered: false,
  error: null,
}

/** Between the last byte that was read and the end of the print lie only the moves in the planner's buffer. */
const NEARLY_ALL = 0.995
/** So many reports in a row whose position has moved on are no longer of the time before a pause. */
const MOST_MOVED = 2

export function stepWatched(watched: Watched, input: WatchInput): WatchStep {
  switch (input.type) {
    case 'command':
      return takeCommand(watched, input.command)
    case 'answered':
      return { watched: { ...watched, answered: true }, events: [] }
    case 'disconnected':
      // The card goes on printing without us: what has become of it is seen when the printer answers again.
      // A command that was out has been carried out, or never will be.
      return { watched: { ...watched, known: false, answered: true, phase: phaseWhenLost(watched.phase) }, events: [] }
    case 'line':
      return takeLine(watched, input.line)
  }
}

function takeCommand(watched: Watched, command: 'pause' | 'resume' | 'cancel'): WatchStep {
  const phase = command === 'pause' ? 'pausing' : command === 'resume' ? 'resuming' : 'cancelling'
  return { watched: { ...watched, phase, idleReports: 0, movedReports: 0, answered: false }, events: [] }
}

/** A cancel that was lost is asked for again by whoever wants it; whether a pause or a resume came through, the reports tell. */
function phaseWhenLost(phase: HostPhase): HostPhase {
  return phase === 'cancelling' ? 'printing' : phase
}

function takeLine(watched: Watched, line: FirmwareLine): WatchStep {
  switch (line.type) {
    case 'sd_file':
      return { watched: { ...watched, fileName: line.name, size: line.size ?? watched.size }, events: [] }
    case 'sd_progress':
      return takeProgress(watched, line.byte, line.size)
    case 'sd_idle':
      return takeIdle(watched)
    case 'sd_done':
      return isActive(watched.phase) ? end({ ...watched, byte: watched.size }, 'done') : unchanged(watched)
    case 'busy':
      return line.forUser ? pause(watched) : unchanged(watched)
    case 'action':
      return takeAction(watched, line.action)
    case 'start':
      return isActive(watched.phase)
        ? end({ ...watched, error: 'the printer was reset' }, 'failed')
        : unchanged(watched)
    case 'error':
      if (!line.fatal || !isActive(watched.phase)) return unchanged(watched)
      return end({ ...watched, error: line.text }, 'failed')
    case 'capability':
    case 'firmware':
    case 'ok':
    case 'other':
    case 'position':
    case 'resend':
    case 'sd_entry':
    case 'temperatures':
    case 'unknown_command':
    case 'wait':
      return unchanged(watched)
  }
}

function takeProgress(before: Watched, byte: number, size: number): WatchStep {
  const hasMoved = byte !== before.byte
  const standsStill = before.phase === 'paused' || (before.phase === 'pausing' && before.answered)
  const movedReports = standsStill && hasMoved ? before.movedReports + 1 : 0
  const watched: Watched = { ...before, known: true, byte, size, idleReports: 0, movedReports }
  switch (before.phase) {
    case 'offline':
    case 'idle': {
      const started = { ...watched, phase: 'printing', outcome: null, error: null } as const
      // One that ran before we looked is no news: its start was told then, or never will be.
      return { watched: started, events: before.known ? ['started'] : [] }
    }
    case 'pausing':
      if (!before.answered) return unchanged(watched)
      if (!hasMoved) return { watched: { ...watched, phase: 'paused' }, events: ['paused'] }
      // The pause was lost on the way, or is not heeded.
      return unchanged(movedReports > MOST_MOVED ? { ...watched, phase: 'printing' } : watched)
    case 'paused':
      // The line that was being read when it paused still counts.
      return movedReports >= MOST_MOVED
        ? { watched: { ...watched, phase: 'printing' }, events: ['resumed'] }
        : unchanged(watched)
    case 'resuming':
      // It heats first.
      if (!before.answered) return unchanged(watched)
      return { watched: { ...watched, phase: 'printing' }, events: ['resumed'] }
    case 'printing':
    case 'cancelling':
    case 'finishing':
      return unchanged(watched)
  }
}

/** Older firmwares say that nothing is printed while a print is paused, too. */
function takeIdle(before: Watched): WatchStep {
  const watched: Watched = { ...before, known: true, idleReports: before.idleReports + 1 }
  switch (before.phase) {
    case 'offline':
      return unchanged({ ...watched, phase: 'idle' })
    case 'idle':
    case 'paused':
      return unchanged(watched)
    case 'pausing':
      return watched.answered ? { watched: { ...watched, phase: 'paused' }, events: ['paused'] } : unchanged(watched)
    case 'cancelling':
      return end(watched, 'cancelled')
    case 'printing':
    case 'resuming':
    case 'finishing': {
      // It ended while nobody listened: how, nobody can say.
      if (!before.known) return unchanged({ ...watched, phase: 'idle', outcome: null })
      // "Done printing file" may come just after it.
      if (watched.idleReports < 2) return unchanged(watched)
      const isDone = watched.size > 0 && watched.byte >= watched.size * NEARLY_ALL
      return end(watched, isDone ? 'done' : 'cancelled')
    }
  }
}

function takeAction(watched: Watched, action: string): WatchStep {
  switch (action) {
    case 'pause':
    case 'paused':
      return pause(watched)
    case 'resume':
    case 'resumed':
      if (watched.phase !== 'paused' && watched.phase !== 'resuming') return unchanged(watched)
      return { watched: { ...watched, phase: 'printing' }, events: ['resumed'] }
    case 'cancel':
      return isActive(watched.phase) ? end(watched, 'cancelled') : unchanged(watched)
    default:
      return unchanged(watched)
  }
}

function pause(watched: Watched): WatchStep {
  if (watched.phase !== 'printing' && watched.phase !== 'pausing') return unchanged(watched)
  return { watched: { ...watched, phase: 'paused' }, events: ['paused'] }
}

function end(watched: Watched, outcome: PrintOutcome): WatchStep {
  return { watched: { ...watched, phase: 'idle', outcome, idleReports: 0 }, events: [outcome] }
}

function unchanged(watched: Watched): WatchStep {
  return { watched, events: [] }
}
