import type { PrinterStatus, PrintRefusal } from '@printwarden/protocol'

/** What decides whether a stored file can be printed now. */
export interface PrintSituation {
  readonly hasBytes: boolean
  readonly isArchived: boolean
  /** Whether the printer has a current print. */
  readonly hasPrint: boolean
  /** null when the printer is offline. */
  readonly status: PrinterStatus | null
}

/** Why the file is not sent to the printer; undefined when it is. The agent looks again before it starts. */
export function refusalOf({ hasBytes, isArchived, hasPrint, status }: PrintSituation): PrintRefusal | undefined {
  if (!hasBytes) return 'not_stored'
  if (isArchived) return 'archived'
  if (status === null || status.state.text === 'Offline') return 'offline'
  if (hasPrint) return 'busy'
  const { text, flags } = status.state
  const isBusy =
    flags.printing || flags.paused || flags.pausing || flags.resuming || flags.cancelling || flags.finishing
  if (isBusy || text === 'G-Code Downloading') return 'busy'
  return flags.operational ? undefined : 'not_ready'
}
