import type { HostPhase, PrintOutcome } from '../../host.js'
import { isActive } from '../../tracking/host-state.js'

/** A printer that exists only as these numbers. */
export interface Machine {
  readonly phase: HostPhase
  /** How long it has been in this phase. */
  readonly inPhaseMs: number
  /** How long the print has extruded, without heating up and pauses. */
  readonly printedMs: number
  /** How long the print has been under way, pauses left out. */
  readonly elapsedMs: number
  readonly temperatures: { readonly tool0: number; readonly bed: number }
  readonly isHot: boolean
  readonly fileName: string
  /** How many prints have been started. */
  readonly runs: number
  readonly outcome: PrintOutcome | null
}

/** How the machine behaves. Times are in milliseconds. */
export interface MachineSettings {
  readonly durationMs: number
  readonly heatingMs: number
  readonly restMs: number
  readonly repeat: boolean
  readonly autostart: boolean
}

export type MachineEvent = 'started' | 'paused' | 'resumed' | PrintOutcome

export const ROOM_TEMPERATURE = 22
export const TARGETS = { tool0: 210, bed: 60 }

const PAUSING_MS = 1_500
const RESUMING_MS = 1_000
const CANCELLING_MS = 2_000
const FINISHING_MS = 500
const STEP_MS = 250
/** Degrees a second, when nothing heats. */
const COOLING = 1.5

export function newMachine(fileName: string): Machine {
  const temperatures = { tool0: ROOM_TEMPERATURE, bed: ROOM_TEMPERATURE }
  const unused = { inPhaseMs: 0, printedMs: 0, elapsedMs: 0, isHot: false, runs: 0, outcome: null }
  return { phase: 'idle', temperatures, fileName, ...unused }
}

/** Starts a print. Nothing happens while one is under way. */
export function start(machine: Machine, fileName: string): Machine {
  if (isActive(machine.phase)) return machine
  const run = { printedMs: 0, elapsedMs: 0, isHot: false, outcome: null, runs: machine.runs + 1, fileName }
  return { ...enter(machine, 'printing'), ...run }
}

/** Begins to pause, to resume or to cancel; undefined when the machine is in no state for it. */
export function command(machine: Machine, wish: 'pause' | 'resume' | 'cancel'): Machine | undefined {
  const { phase } = machine
  if (wish === 'pause') {
    if (phase === 'pausing' || phase === 'paused') return machine
    return phase === 'printing' ? enter(machine, 'pausing') : undefined
  }
  if (wish === 'resume') return phase === 'paused' ? enter(machine, 'resuming') : undefined
  return isActive(phase) && phase !== 'cancelling' ? enter(machine, 'cancelling') : undefined
}

/** Stops at once, as firmwares do: nothing works until it is brought back. A print under way is lost. */
export function halt(machine: Machine): { machine: Machine; events: MachineEvent[] } {
  const events: MachineEvent[] = isActive(machine.phase) ? ['failed'] : []
  return { machine: { ...enter(machine, 'offline'), isHot: false, outcome: 'failed' }, events }
}

/** Brings a stopped machine back. */
export function recover(machine: Machine): Machine {
  return machine.phase === 'offline' ? enter(machine, 'idle') : machine
}

/** Lets `ms` pass. */
export function advance(
  machine: Machine,
  settings: MachineSettings,
  ms: number,
): { machine: Machine; events: MachineEvent[] } {
  let now = machine
  const events: MachineEvent[] = []
  for (let left = ms; left > 0; left -= STEP_MS) {
    const step = tick(now, settings, Math.min(left, STEP_MS))
    now = step.machine
    if (step.event) events.push(step.event)
  }
  return { machine: now, events }
}

interface Step {
  readonly machine: Machine
  readonly event?: MachineEvent
}

function tick(before: Machine, settings: MachineSettings, ms: number): Step {
  const machine = { ...heat(before, settings, ms), inPhaseMs: before.inPhaseMs + ms }
  switch (machine.phase) {
    case 'printing':
      return print(machine, settings, ms)
    case 'finishing':
      return machine.inPhaseMs < FINISHING_MS ? { machine } : end(machine, 'done')
    case 'cancelling':
      return machine.inPhaseMs < CANCELLING_MS ? { machine } : end(machine, 'cancelled')
    case 'pausing':
      return machine.inPhaseMs < PAUSING_MS ? { machine } : { machine: enter(machine, 'paused'), event: 'paused' }
    case 'resuming':
      return machine.inPhaseMs < RESUMING_MS ? { machine } : { machine: enter(machine, 'printing'), event: 'resumed' }
    case 'idle':
      return isStartDue(machine, settings)
        ? { machine: start(machine, machine.fileName), event: 'started' }
        : { machine }
    case 'paused':
    case 'offline':
      return { machine }
  }
}

function print(machine: Machine, { durationMs }: MachineSettings, ms: number): Step {
  const elapsedMs = machine.elapsedMs + ms
  if (!machine.isHot) return { machine: { ...machine, elapsedMs } }
  const printedMs = Math.min(durationMs, machine.printedMs + ms)
  const printed = { ...machine, elapsedMs, printedMs }
  return { machine: printedMs < durationMs ? printed : enter(printed, 'finishing') }
}

function isStartDue({ runs, inPhaseMs }: Machine, { autostart, repeat, restMs }: MachineSettings): boolean {
  return runs === 0 ? autostart : repeat && inPhaseMs >= restMs
}

function end(machine: Machine, outcome: PrintOutcome): Step {
  return { machine: { ...enter(machine, 'idle'), isHot: false, outcome }, event: outcome }
}

function enter(machine: Machine, phase: HostPhase): Machine {
  return { ...machine, phase, inPhaseMs: 0 }
}

function heat(machine: Machine, { heatingMs }: MachineSettings, ms: number): Machine {
  const heating = isActive(machine.phase)
  const next = (heater: 'tool0' | 'bed') => {
    const actual = machine.temperatures[heater]
    if (!heating) return Math.max(ROOM_TEMPERATURE, actual - (COOLING * ms) / 1000)
    const perMs = heatingMs > 0 ? (TARGETS[heater] - ROOM_TEMPERATURE) / heatingMs : Number.POSITIVE_INFINITY
    return Math.min(TARGETS[heater], actual + perMs * ms)
  }
  const temperatures = { tool0: next('tool0'), bed: next('bed') }
  const isHot = machine.isHot || (heating && temperatures.tool0 === TARGETS.tool0 && temperatures.bed === TARGETS.bed)
  return { ...machine, temperatures, isHot }
}
