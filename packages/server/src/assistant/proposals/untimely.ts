import { PRINT_REFUSALS, type PrinterStatus, type ProposedAction } from '@printwarden/protocol'
import { refusalOf } from '../../g-code/printable.js'

/** What decides whether an action makes sense now. */
export interface Situation {
  readonly isArchived: boolean
  /** The printer's current print. */
  readonly print: { readonly state: string } | undefined
  /** null when the printer is offline. */
  readonly status: PrinterStatus | null
  /** Whether the file that is to be printed is stored here. */
  readonly hasBytes: boolean
}

/** Why an action would come to nothing now; undefined when it makes sense. */
export function untimely(action: ProposedAction, situation: Situation): string | undefined {
  const { isArchived, print, status, hasBytes } = situation
  if (status?.watched_by === 'picture') return 'This printer is only watched by its picture: it cannot be controlled.'
  if (action === 'print') {
    const refusal = refusalOf({ hasBytes, isArchived, hasPrint: print !== undefined, status })
    return refusal === undefined ? undefined : PRINT_REFUSALS[refusal]
  }
  if (isArchived) return PRINT_REFUSALS.archived
  if (status === null || status.state.text === 'Offline') return PRINT_REFUSALS.offline
  if (print === undefined) return 'Nothing is printed there now.'
  if (action === 'pause' && print.state !== 'running') return 'The print is not running.'
  if (action === 'resume' && print.state !== 'paused') return 'The print is not paused.'
  return undefined
}
