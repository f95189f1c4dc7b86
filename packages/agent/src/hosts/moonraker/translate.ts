import type { PrinterState, Progress } from '@printwarden/protocol'
import type { HostPhase, HostSnapshot, HostStatus, PrintOutcome } from '../../host.js'
import { stateOfPhase } from '../../tracking/host-state.js'
import { fileMetadataOf, jobOf, layerAt, layerCountOf, NO_FACTS, partAt, type FileFacts } from './file-metadata.js'
import { klippyDown, type KlippyDown } from './klippy.js'
import {
  heightOf,
  isPausedOf,
  messageOf,
  numberOf,
  printObjectsOf,
  printStatsOf,
  type Objects,
  type PrintStats,
} from './objects.js'
import { isPrinting, outcomeOf } from './print-events.js'
import { promptOf, type Dialog } from './prompt.js'
import { temperaturesOf } from './temperatures.js'

/** What was asked of Klipper and is not done yet. Its macros take as long as they take; meanwhile it shows the state before. */
export type Asked = 'pause' | 'resume' | 'cancel'

/** Everything Moonraker has told on this connection, put together. */
export interface View {
  /** Why nothing can be said of the printer; null while Klippy is ready. */
  readonly down: KlippyDown | null
  readonly objects: Objects
  readonly asked: Asked | null
  /** What Moonraker knows about the file of this name. */
  readonly facts: { readonly filename: string; readonly value: FileFacts } | undefined
  /** The last value of an `M73` of this print: Klipper forgets it a few seconds into a pause. */
  readonly displayed: { readonly filename: string; readonly progress: number } | undefined
  /** The newest job of the history, where Klipper itself has been restarted and shows none. */
  readonly lastJob: EndedJob | undefined
  /** What a macro asks. */
  readonly dialog: Dialog | undefined
}

/** A job of Moonraker's history. */
export interface EndedJob {
  readonly filename: string
  readonly outcome: PrintOutcome
}

export const NEW_VIEW: View = {
  down: klippyDown('disconnected'),
  objects: {},
  asked: null,
  facts: undefined,
  displayed: undefined,
  lastJob: undefined,
  dialog: undefined,
}

/** Not `interrupted` and `server_exit`: then Moonraker itself was away, and does not know either. */
const OUTCOME_OF_JOB: Record<string, PrintOutcome> = {
  completed: 'done',
  cancelled: 'cancelled',
  error: 'failed',
  klippy_shutdown: 'failed',
  klippy_disconnect: 'failed',
}

/** How a job of the history ended; undefined while it runs. */
export function endedJob(job: { filename: string; status: string } | undefined): EndedJob | undefined {
  const outcome = job && OUTCOME_OF_JOB[job.status]
  return job && outcome && { filename: job.filename, outcome }
}

/** Takes in Klipper's objects as they are now. */
export function applyObjects(view: View, objects: Objects): View {
  const stats = printStatsOf(objects)
  return {
    ...view,
    down: null,
    objects,
    asked: stillAsked(view.asked, objects, stats),
    displayed: displayedOf(view, objects, stats),
  }
}

/** The print stands still a moment before `pause_resume` knows: a RESUME in between would be ignored. */
function stillAsked(asked: Asked | null, objects: Objects, stats: PrintStats): Asked | null {
  if (asked === 'pause') return isPrinting(stats) && isPausedOf(objects) === false ? asked : null
  if (asked === 'resume') return stats.state === 'paused' ? asked : null
  return asked
}

/**
 * Without an `M73`, before the first one and a few seconds into a pause, Klipper shows the progress by bytes in its place. A print
 * that has given one keeps it.
 */
function displayedOf({ displayed, objects: before }: View, objects: Objects, stats: PrintStats): View['displayed'] {
  if (!isPrinting(stats)) return undefined
  const progress = numberOf(objects, 'display_status', 'progress')
  if (progress !== undefined && progress !== numberOf(objects, 'virtual_sdcard', 'progress')) {
    return { filename: stats.filename, progress }
  }
  const isSameRun = stats.total_duration >= printStatsOf(before).total_duration
  return isSameRun && displayed?.filename === stats.filename ? displayed : undefined
}

/** What the printer does. */
export function phaseOf({ down, objects, asked }: View): HostPhase {
  if (down) return 'offline'
  const { state } = printStatsOf(objects)
  if (asked === 'cancel') return 'cancelling'
  if (state !== 'printing' && state !== 'paused') return 'idle'
  if (asked === 'pause') return 'pausing'
  if (state === 'paused') return asked === 'resume' ? 'resuming' : 'paused'
  return 'printing'
}

/** The printer as the agent reports it. */
export function snapshotOf(view: View): HostSnapshot {
  const phase = phaseOf(view)
  const stats = printStatsOf(view.objects)
  if (view.down) return { phase, outcome: null, status: { state: offlineState(view.down) } }
  const filename = stats.filename || view.lastJob?.filename
  const outcome = stats.filename ? outcomeOf(stats) : (view.lastJob?.outcome ?? null)
  const error = stats.state === 'error' ? stats.message || 'the print failed' : undefined
  return {
    phase,
    outcome: phase === 'idle' ? outcome : null,
    status: {
      state: stateOfPhase(phase, error),
      ...jobStatus(view, stats, filename),
      ...headStatus(view, stats),
      ...displayStatus(view.objects),
      ...askingStatus(view, stats),
      temperatures: temperaturesOf(view.objects),
    },
  }
}

/** A Klippy that starts is not in error, yet nothing can be said of the printer. */
function offlineState({ klippy, reason }: KlippyDown): PrinterState {
  if (klippy === 'shutdown' || klippy === 'error') return stateOfPhase('offline', reason)
  return { ...stateOfPhase('offline'), error: reason }
}

/** Objects matter while there is a print to take them out of. */
function askingStatus({ objects, dialog }: View, stats: PrintStats): Partial<HostStatus> {
  const printed = isPrinting(stats) ? printObjectsOf(objects) : undefined
  const prompt = promptOf(dialog)
  return { ...(printed ? { objects: printed } : {}), ...(prompt ? { prompt } : {}) }
}

function displayStatus(objects: Objects): Partial<HostStatus> {
  const message = messageOf(objects)
  return message === undefined ? {} : { display_status: { message } }
}

function jobStatus(view: View, stats: PrintStats, filename: string | undefined): Partial<HostStatus> {
  if (filename === undefined) return {}
  const facts = view.facts?.filename === filename ? view.facts.value : NO_FACTS
  const metadata = fileMetadataOf(facts, stats.info.total_layer ?? layerCountOf(facts))
  return {
    job: jobOf(filename, facts),
    ...(stats.filename ? { progress: progressOf(view, stats, facts) } : {}),
    ...(metadata ? { file_metadata: metadata } : {}),
  }
}

/** Homing, heating and purging come before the print itself, however many bytes of the file they take. */
function progressOf({ objects, displayed }: View, stats: PrintStats, facts: FileFacts): Progress {
  const filepos = numberOf(objects, 'virtual_sdcard', 'file_position')
  const byBytes = partAt(filepos, facts) ?? numberOf(objects, 'virtual_sdcard', 'progress') ?? 0
  const shown = displayed?.filename === stats.filename ? displayed.progress : byBytes
  const part = stats.print_duration > 0 ? Math.min(1, shown) : 0
  return {
    completion: stats.state === 'complete' ? 100 : Math.round(part * 10_000) / 100,
    filepos: filepos ?? null,
    printTime: Math.round(stats.total_duration),
    ...timeLeft(stats, part, facts),
  }
}

/** As the slicer has estimated it, else by how fast the print has come so far. */
function timeLeft({ state, print_duration }: PrintStats, part: number, { estimated_time }: FileFacts): Progress {
  if (state === 'complete') return { printTimeLeft: 0 }
  if (state !== 'printing' && state !== 'paused') return { printTimeLeft: null }
  if (estimated_time !== undefined && estimated_time > print_duration) {
    return { printTimeLeft: Math.round(estimated_time - print_duration), printTimeLeftOrigin: 'analysis' }
  }
  if (part <= 0.01) return { printTimeLeft: null }
  return { printTimeLeft: Math.round((print_duration * (1 - part)) / part), printTimeLeftOrigin: 'linear' }
}

/** `currentLayerHeight` is the number of the layer, whatever its name says; the factors are 1 at 100 %. */
function headStatus(view: View, stats: PrintStats): Partial<HostStatus> {
  const { objects, facts } = view
  const height = heightOf(objects)
  const known = facts?.filename === stats.filename ? facts.value : NO_FACTS
  const hasBegun = isPrinting(stats) && stats.print_duration > 0
  const derived = hasBegun && height !== undefined ? layerAt(height, known) : undefined
  const layer = stats.info.current_layer ?? derived
  const feed = numberOf(objects, 'gcode_move', 'speed_factor')
  const flow = numberOf(objects, 'gcode_move', 'extrude_factor')
  const fan = numberOf(objects, 'fan', 'speed')
  return {
    ...(layer === undefined || !isPrinting(stats) ? {} : { currentLayerHeight: layer }),
    ...(height === undefined ? {} : { currentZ: height }),
    ...(feed === undefined ? {} : { currentFeedRate: feed }),
    ...(flow === undefined ? {} : { currentFlowRate: flow }),
    ...(fan === undefined ? {} : { currentFanSpeed: fan }),
  }
}

/** Whether RESUME would find a pause; a file paused by M25 has none. */
export function canResume({ objects }: View): boolean {
  return isPausedOf(objects) === true
}
