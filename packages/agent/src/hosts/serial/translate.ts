import type { Job, PrinterPrompt, Progress, Temperature } from '@printwarden/protocol'
import type { HostPhase, HostSnapshot, PrintOutcome } from '../../host.js'
import { isActive, stateOfPhase } from '../../tracking/host-state.js'
import { NEW_G_CODE_STATE, type GCodeState } from './g-code-state.js'
import type { HeaterReadings } from './reports.js'

/** The file that is printed, or was printed last. */
export interface SerialJob {
  readonly name: string
  readonly origin: 'local' | 'sdcard'
  /** In bytes. */
  readonly size: number
}

/** All that is known of a printer on a serial line. */
export interface SerialView {
  readonly phase: HostPhase
  readonly outcome: PrintOutcome | null
  readonly error: string | null
  readonly job: SerialJob | null
  /** Bytes of the job that were printed. */
  readonly byte: number
  /** How long it has been printing, pauses left out; null for a print whose start nobody saw. */
  readonly printedMs: number | null
  readonly temperatures: HeaterReadings
  readonly gCode: GCodeState
  readonly lines: { readonly transmitted: number; readonly resends: number }
  /** What the firmware asks. */
  readonly prompt: PrinterPrompt | undefined
}

export const NEW_SERIAL_VIEW: SerialView = {
  phase: 'offline',
  outcome: null,
  error: null,
  job: null,
  byte: 0,
  printedMs: null,
  temperatures: {},
  gCode: NEW_G_CODE_STATE,
  lines: { transmitted: 0, resends: 0 },
  prompt: undefined,
}

/** Below this share of the file, its pace so far says little about the rest. */
const MIN_SHARE = 0.02

/** The printer as any host reports it. */
export function snapshotOf(view: SerialView): HostSnapshot {
  const { phase, outcome, error, job, gCode, lines, prompt } = view
  const { transmitted, resends } = lines
  return {
    phase,
    outcome: phase === 'idle' ? outcome : null,
    status: {
      state: stateOfPhase(phase, error ?? undefined),
      ...(gCode.layer === undefined || !isActive(phase) ? {} : { currentLayerHeight: gCode.layer }),
      ...(gCode.z === undefined ? {} : { currentZ: Math.round(gCode.z * 1000) / 1000 }),
      currentFeedRate: gCode.feedRate,
      currentFlowRate: gCode.flowRate,
      currentFanSpeed: gCode.fanSpeed,
      ...(job ? { job: jobOf(job), progress: progressOf(view, job) } : {}),
      ...(gCode.layers === undefined ? {} : { file_metadata: { service: { totalLayerCount: gCode.layers } } }),
      temperatures: temperaturesOf(view.temperatures),
      offsets: {},
      ...(prompt === undefined ? {} : { prompt }),
      resends: { count: resends, transmitted, ratio: transmitted > 0 ? Math.round((resends / transmitted) * 100) : 0 },
    },
  }
}

/** The heaters under the names of the wire. */
export function temperaturesOf(readings: HeaterReadings): Record<string, Temperature> {
  return Object.fromEntries(
    Object.entries(readings).map(([name, { actual, target }]) => [name, { actual, target, offset: 0 }]),
  )
}

function jobOf({ name, origin, size }: SerialJob): Job {
  return {
    file: { name, path: name, display: name, origin, ...(size > 0 ? { size } : {}) },
    estimatedPrintTime: null,
    averagePrintTime: null,
    lastPrintTime: null,
  }
}

function progressOf({ phase, outcome, byte, printedMs, gCode }: SerialView, { size }: SerialJob): Progress {
  // After a cancel nothing is left of the progress, as with other hosts.
  if ((phase === 'idle' || phase === 'offline') && outcome !== 'done') {
    return { completion: null, filepos: null, printTime: null, printTimeLeft: null }
  }
  const share = outcome === 'done' ? 1 : size > 0 ? Math.min(1, byte / size) : 0
  const printTime = printedMs === null ? null : Math.round(printedMs / 1000)
  return {
    completion: Math.round(share * 10_000) / 100,
    filepos: Math.round(share * size),
    printTime,
    ...timeLeft(share, printTime, gCode.leftSeconds),
  }
}

function timeLeft(share: number, printTime: number | null, told: number | undefined): Progress {
  if (share >= 1) return { printTimeLeft: 0, printTimeLeftOrigin: 'linear' }
  if (told !== undefined) return { printTimeLeft: told, printTimeLeftOrigin: 'estimate' }
  if (printTime === null || share < MIN_SHARE) return { printTimeLeft: null }
  return { printTimeLeft: Math.round((printTime / share) * (1 - share)), printTimeLeftOrigin: 'linear' }
}
