import type { PrintOutcome } from '../../host.js'
import type { PrintStats } from './objects.js'

type PrintEvent = 'started' | 'paused' | 'resumed' | PrintOutcome

const OUTCOMES: Partial<Record<PrintStats['state'], PrintOutcome>> = {
  complete: 'done',
  cancelled: 'cancelled',
  error: 'failed',
}

/** Whether a print runs or is paused. */
export function isPrinting({ state }: PrintStats): boolean {
  return state === 'printing' || state === 'paused'
}

/** How the print ended that Klipper still shows; null while one runs, or when none is shown. */
export function outcomeOf({ state }: PrintStats): PrintOutcome | null {
  return OUTCOMES[state] ?? null
}

/**
 * What happened between two looks at Klipper. They are a quarter of a second apart, so a short print may come and go between
 * them, and one print may follow another.
 */
export function printEvents(before: PrintStats, after: PrintStats): PrintEvent[] {
  if (isPrinting(before) && !isAnotherRun(before, after)) return eventsWithin(before, after)
  return eventsOfNewRun(before, after)
}

function eventsWithin(before: PrintStats, after: PrintStats): PrintEvent[] {
  if (before.state === after.state) return []
  if (after.state === 'paused') return ['paused']
  if (after.state === 'printing') return ['resumed']
  // SDCARD_RESET_FILE unloads the file, which is how some macros cancel.
  return [outcomeOf(after) ?? 'cancelled']
}

function eventsOfNewRun(before: PrintStats, after: PrintStats): PrintEvent[] {
  switch (after.state) {
    case 'standby':
      return []
    case 'printing':
      return ['started']
    case 'paused':
      return ['started', 'paused']
    case 'complete':
    case 'cancelled':
    case 'error':
      return isAnotherRun(before, after) ? ['started', outcomeOf(after) ?? 'failed'] : []
  }
}

/** The time of a run only rises, and stands still after its end. */
function isAnotherRun(before: PrintStats, after: PrintStats): boolean {
  if (after.state === 'standby') return false
  if (before.filename !== after.filename) return true
  if (isPrinting(before)) return after.total_duration < before.total_duration
  return isPrinting(after) || after.total_duration !== before.total_duration
}
