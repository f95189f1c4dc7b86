import { flagsOf, type PrinterState, type StateFlags, type StateText } from '@printwarden/protocol'
import type { HostPhase } from '../host.js'

const TEXT_OF_PHASE: Record<HostPhase, StateText> = {
  offline: 'Offline',
  idle: 'Operational',
  printing: 'Printing',
  pausing: 'Pausing',
  paused: 'Paused',
  resuming: 'Printing',
  cancelling: 'Cancelling',
  finishing: 'Printing',
}

/** The text for people that belongs to a phase. */
export function textOfPhase(phase: HostPhase): StateText {
  return TEXT_OF_PHASE[phase]
}

/** The whole state of a host that tells only its phase. */
export function stateOfPhase(phase: HostPhase, error?: string): PrinterState {
  const flags = flagsOf(TEXT_OF_PHASE[phase])
  if (phase === 'resuming') flags.resuming = true
  if (phase === 'finishing') flags.finishing = true
  if (error) flags.error = true
  return { text: TEXT_OF_PHASE[phase], flags, ...(error ? { error } : {}) }
}

/** What the printer does, by its flags. While it pauses, resumes, cancels or finishes, `printing` may be true as well. */
export function phaseOfFlags(flags: StateFlags): HostPhase {
  if (!flags.operational || flags.closedOrError) return 'offline'
  if (flags.cancelling) return 'cancelling'
  if (flags.finishing) return 'finishing'
  if (flags.pausing) return 'pausing'
  if (flags.resuming) return 'resuming'
  if (flags.paused) return 'paused'
  return flags.printing ? 'printing' : 'idle'
}

/** Whether a job is under way, running or not. */
export function isActive(phase: HostPhase): boolean {
  return phase !== 'idle' && phase !== 'offline'
}
