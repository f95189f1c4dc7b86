import type { FileMetadata, Job, Progress } from '@printwarden/protocol'
import type { HostSnapshot, SceneView } from '../../host.js'
import { isActive, stateOfPhase } from '../../tracking/host-state.js'
import { TARGETS, type Machine } from './machine.js'

/** What the machine is made to print. */
export interface Part {
  readonly durationMs: number
  readonly heatingMs: number
  /** The progress, from 0 to 1, at which the print begins to go wrong; undefined for a good one. */
  readonly failAt: number | undefined
  readonly seed: number
}

const LAYER_MM = 0.2
const LAYERS = 250
const BYTES = 4_200_000
/** From the first loose thread to a big tangle: this part of the print. */
const FAILURE_SPAN = 0.12

/** The machine as a host reports it. */
export function snapshotOf(machine: Machine, part: Part): HostSnapshot {
  const { phase, temperatures, outcome, runs } = machine
  const active = isActive(phase)
  const completion = machine.printedMs / part.durationMs
  const layer = Math.min(LAYERS, Math.floor(completion * LAYERS) + 1)
  const isPrinted = active && machine.isHot
  return {
    phase,
    outcome: phase === 'idle' ? outcome : null,
    status: {
      state: phase === 'offline' ? stateOfPhase(phase, 'stopped by an emergency stop') : stateOfPhase(phase),
      ...(isPrinted ? { currentLayerHeight: layer, currentZ: round(layer * LAYER_MM) } : {}),
      currentFeedRate: 1,
      currentFlowRate: 1,
      currentFanSpeed: isPrinted && layer > 2 ? 1 : 0,
      ...(runs > 0 ? { job: jobOf(machine, part), progress: progressOf(machine, part), file_metadata: METADATA } : {}),
      temperatures: {
        tool0: { actual: round(temperatures.tool0), target: active ? TARGETS.tool0 : 0, offset: 0 },
        bed: { actual: round(temperatures.bed), target: active ? TARGETS.bed : 0, offset: 0 },
      },
      offsets: {},
      resends: { count: 0, transmitted: Math.floor(completion * 100_000), ratio: 0 },
    },
  }
}

/** The machine as its camera sees it. */
export function sceneOf(machine: Machine, part: Part): SceneView {
  const progress = machine.printedMs / part.durationMs
  const { failAt, seed } = part
  const failure = failAt === undefined ? 0 : clamp((progress - failAt) / FAILURE_SPAN)
  return {
    printing: machine.phase === 'printing',
    progress,
    failure,
    // Each print of one machine makes another part.
    seed: seed + Math.max(0, machine.runs - 1),
    ...(failAt === undefined || progress < failAt ? {} : { failedAt: failAt }),
  }
}

function jobOf({ fileName }: Machine, part: Part): Job {
  return {
    file: { name: fileName, path: fileName, display: fileName, origin: 'local', size: BYTES },
    estimatedPrintTime: seconds(part.durationMs + part.heatingMs),
    averagePrintTime: null,
    lastPrintTime: null,
    filament: { tool0: { length: 3_120, volume: 7.5 } },
  }
}

function progressOf({ printedMs, elapsedMs, phase, outcome }: Machine, { durationMs }: Part): Progress {
  // After a cancel nothing is left of the progress, as with real hosts.
  if (phase === 'idle' && outcome !== 'done')
    return { completion: null, filepos: null, printTime: null, printTimeLeft: null }
  const share = printedMs / durationMs
  return {
    completion: Math.round(share * 10_000) / 100,
    filepos: Math.round(share * BYTES),
    printTime: seconds(elapsedMs),
    printTimeLeft: seconds(durationMs - printedMs),
    printTimeLeftOrigin: 'estimate',
  }
}

const METADATA: FileMetadata = {
  service: { totalLayerCount: LAYERS },
  analysis: { printingArea: { minX: 80, maxX: 140, minY: 80, maxY: 140, minZ: 0, maxZ: LAYERS * LAYER_MM } },
}

function seconds(ms: number): number {
  return Math.round(ms / 1000)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}
