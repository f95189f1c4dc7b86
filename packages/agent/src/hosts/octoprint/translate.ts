import type {
  FileMetadata,
  Job,
  JobFile,
  PrinterPrompt,
  PrinterState,
  Progress,
  Temperature,
} from '@printwarden/protocol'
import type { HostPhase, HostReport, HostSnapshot, HostStatus, PrintOutcome } from '../../host.js'
import { isActive, phaseOfFlags, stateOfPhase, textOfPhase } from '../../tracking/host-state.js'
import { type Current, readHeater } from './frames.js'
import { readJob, startedJob } from './job.js'
import { NO_MODES, type Modes, modesAfter } from './modes.js'
import { withoutNull, withoutUndefined } from './plain.js'

/** Everything OctoPrint has told on this connection, put together. */
export interface View {
  /** As the last `current` had it. */
  readonly state: PrinterState
  readonly phase: HostPhase
  /** A state that an event has announced and that `current`, which lags behind, has not shown yet. */
  readonly announced: { readonly phase: HostPhase; readonly patience: number } | null
  /** Why the print has failed, as its event told; `current` tells it later. */
  readonly failure: string | undefined
  readonly job: Job | undefined
  /** The file whose start was told. While it runs, a frame with another job is stale; so many of them are not believed. */
  readonly started: { readonly path: string; readonly patience: number } | null
  readonly progress: Progress | undefined
  readonly temperatures: Record<string, Temperature>
  readonly currentZ: number | undefined
  readonly offsets: Record<string, number> | undefined
  readonly resends: HostStatus['resends']
  /** What OctoPrint knows about the file with this {@link fileKey}. */
  readonly metadata: { readonly key: string; readonly value: FileMetadata } | undefined
  readonly modes: Modes
  /** What the printer's display shows; undefined while nothing is known of it. */
  readonly displayed: string | null | undefined
  /** What the printer asks now. */
  readonly prompt: PrinterPrompt | undefined
}

export const NEW_VIEW: View = {
  state: stateOfPhase('offline'),
  phase: 'offline',
  announced: null,
  failure: undefined,
  job: undefined,
  started: null,
  progress: undefined,
  temperatures: {},
  currentZ: undefined,
  offsets: undefined,
  resends: undefined,
  metadata: undefined,
  modes: NO_MODES,
  displayed: undefined,
  prompt: undefined,
}

/** So many `current` frames may contradict an announced state before they are believed. */
const PATIENCE = 2
/** So many may contradict the job that was told to have started; one comes a second. */
const PATIENCE_WITH_JOB = 5

const PHASE_OF_STATE_ID: Record<string, HostPhase> = {
  OPERATIONAL: 'idle',
  TRANSFERING_FILE: 'idle',
  STARTING: 'printing',
  PRINTING: 'printing',
  PAUSING: 'pausing',
  PAUSED: 'paused',
  RESUMING: 'resuming',
  FINISHING: 'finishing',
  CANCELLING: 'cancelling',
  OFFLINE: 'offline',
  OFFLINE_AFTER_ERROR: 'offline',
  CLOSED: 'offline',
  CLOSED_WITH_ERROR: 'offline',
  ERROR: 'offline',
  NONE: 'offline',
  OPEN_SERIAL: 'offline',
  DETECT_SERIAL: 'offline',
  DETECT_BAUDRATE: 'offline',
  CONNECTING: 'offline',
}

const PRINT_EVENTS: Record<string, (HostReport & { type: 'print' })['event']> = {
  PrintStarted: 'started',
  PrintPaused: 'paused',
  PrintResumed: 'resumed',
  PrintDone: 'done',
  PrintCancelled: 'cancelled',
  PrintFailed: 'failed',
}

/** Takes in a `current` or `history` frame. */
export function applyCurrent(view: View, current: Current): View {
  const phase = phaseOfFlags(current.state.flags)
  const error = current.state.error
  const announced = view.announced && view.announced.phase !== phase ? lessPatient(view.announced) : null
  const job = readJob(current)
  // A frame may show the new state with the job before.
  const isOtherJob = view.started !== null && job?.file.path !== view.started.path && isActive(phase)
  const started = announced ? view.started : isOtherJob ? lessPatient(view.started) : null
  const isStale = announced !== null || (isOtherJob && started !== null)
  return {
    ...view,
    phase,
    announced,
    failure: announced ? view.failure : undefined,
    state: { text: textOfPhase(phase), flags: current.state.flags, ...(error ? { error } : {}) },
    // Before a print it shows the job before, after one it shows nothing: a stale frame tells neither.
    job: isStale ? view.job : job,
    started,
    progress: isStale ? view.progress : current.progress && withoutUndefined(current.progress),
    temperatures: phase === 'offline' ? {} : latestTemperatures(view.temperatures, current),
    currentZ: current.currentZ ?? undefined,
    offsets: current.offsets,
    resends: current.resends && withoutNull(current.resends),
    modes: modesAfter(view.modes, current.logs),
  }
}

/** Takes in an event. What it says about the state holds until `current` follows. */
export function applyEvent(view: View, event: string, payload: Record<string, unknown>): View {
  if (event === 'PrinterStateChanged') {
    const phase = typeof payload.state_id === 'string' ? PHASE_OF_STATE_ID[payload.state_id] : undefined
    return phase ? { ...view, announced: phase === view.phase ? null : { phase, patience: PATIENCE } } : view
  }
  if (event === 'PrintStarted') {
    // The modes of the job before mean nothing to this one.
    const job = startedJob(view.job, payload)
    const started = job ? { path: job.file.path, patience: PATIENCE_WITH_JOB } : null
    return { ...view, job, started, progress: STARTED_PROGRESS, modes: NO_MODES }
  }
  if (event === 'PrintFailed' && typeof payload['error'] === 'string') return { ...view, failure: payload['error'] }
  if (event === 'PrintDone') return { ...view, progress: doneProgress(view.progress, payload) }
  return view
}

/** What an event says about the print, if it does. A cancelled print is reported as failed too, with the reason. */
export function printEvent(event: string, payload: Record<string, unknown>): HostReport | undefined {
  const about = event === 'PrintFailed' && payload.reason === 'cancelled' ? 'cancelled' : PRINT_EVENTS[event]
  return about && { type: 'print', event: about }
}

/** Tells a file from others, and from another version of itself. */
export function fileKey({ origin, path, date }: JobFile): string {
  return `${origin}:${path}:${date}`
}

/** The phase that counts: an announced one before the one last shown. */
export function phaseOf(view: View): HostPhase {
  return view.announced?.phase ?? view.phase
}

/** The printer as the agent reports it. */
export function snapshotOf(view: View): HostSnapshot {
  const phase = phaseOf(view)
  const { job, progress, currentZ, offsets, resends, metadata, temperatures, displayed, prompt } = view
  return {
    phase,
    outcome: outcomeOf(phase, view),
    status: {
      state: stateOf(view),
      ...(job ? { job } : {}),
      ...(job && progress ? { progress } : {}),
      ...(currentZ === undefined ? {} : { currentZ }),
      ...(offsets ? { offsets } : {}),
      ...(resends ? { resends } : {}),
      ...(job && metadata?.key === fileKey(job.file) ? { file_metadata: metadata.value } : {}),
      ...(phase === 'offline' ? {} : { temperatures }),
      ...(displayed === undefined ? {} : { display_status: { message: displayed } }),
      ...(prompt === undefined ? {} : { prompt }),
    },
  }
}

function stateOf({ announced, state, failure }: View): PrinterState {
  if (!announced) return state
  const { text, flags } = stateOfPhase(announced.phase)
  const sdReady = (state.flags.sdReady ?? false) && announced.phase !== 'offline'
  return { text, flags: { ...flags, sdReady }, ...(failure ? { error: failure } : {}) }
}

/** A finished job stays loaded at 100 %, a cancelled one stays loaded with its progress emptied. */
function outcomeOf(phase: HostPhase, { job, progress }: View): PrintOutcome | null {
  if (phase !== 'idle' || !job) return null
  if (progress?.completion === 100) return 'done'
  return typeof progress?.completion === 'number' ? null : 'cancelled'
}

function lessPatient<T extends { readonly patience: number }>(told: T | null): T | null {
  return told && told.patience > 1 ? { ...told, patience: told.patience - 1 } : null
}

const STARTED_PROGRESS: Progress = { completion: 0, filepos: 0, printTime: 0, printTimeLeft: null }

function doneProgress(progress: Progress | undefined, { time }: Record<string, unknown>): Progress {
  const printTime = typeof time === 'number' ? { printTime: Math.round(time) } : {}
  return { ...progress, completion: 100, printTimeLeft: 0, ...printTime }
}

/** A frame carries only the samples since the one before, mostly none: the latest of each heater is kept. */
function latestTemperatures(
  known: Record<string, Temperature>,
  { temps, offsets }: Current,
): Record<string, Temperature> {
  const temperatures = { ...known }
  for (const sample of temps) {
    for (const [name, value] of Object.entries(sample)) {
      const read = readHeater(value)
      if (!read || (read.actual ?? read.target ?? null) === null) continue
      const offset = offsets?.[name]
      temperatures[name] = {
        actual: read.actual ?? null,
        target: read.target ?? null,
        ...(offset === undefined ? {} : { offset }),
      }
    }
  }
  return temperatures
}
