import type { Job, PrintEventType } from '@printwarden/protocol'
import type { HostPhase, HostSnapshot, PrintOutcome } from '../host.js'
import { isActive } from './host-state.js'

/** The print that runs, as far as the agent knows. */
export interface TrackedPrint {
  /** Its `current_print_ts`. */
  readonly ts: number
  readonly paused: boolean
  /** The last job the host told, kept because a host forgets it when the print ends. */
  readonly job: Job | null
  readonly completion: number | null
  /** Since when the print is known only from snapshots; null once the host itself has said that it started. */
  readonly unconfirmedSinceMs: number | null
}

/** The event that ends a print like this. */
export const OUTCOME_EVENT: Record<PrintOutcome, PrintEventType> = {
  done: 'PrintDone',
  cancelled: 'PrintCancelled',
  failed: 'PrintFailed',
}

/** Whether this event ends its print. */
export function isEnd(type: PrintEventType): boolean {
  return type === 'PrintDone' || type === 'PrintFailed' || type === 'PrintCancelled'
}

/** Whether the host's state has followed the event, so that both can be told together. */
export function hasSettled(type: PrintEventType, phase: HostPhase): boolean {
  if (isEnd(type)) return !isActive(phase)
  if (type === 'PrintPaused') return phase !== 'printing' && phase !== 'pausing'
  return phase !== 'paused' && phase !== 'resuming'
}

/** How a print ended that nobody saw end: by what the idle host still tells of it, else by how far it had come. */
export function inferOutcome(print: TrackedPrint, snapshot: HostSnapshot | null): PrintOutcome {
  const printed = print.job?.file.path
  const loaded = snapshot?.status.job?.file.path
  if (snapshot?.outcome && (printed === undefined || printed === loaded)) return snapshot.outcome
  return print.completion !== null && print.completion >= 100 ? 'done' : 'failed'
}
