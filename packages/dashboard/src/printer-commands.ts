import type { Command, Printer } from '@printwarden/sdk'
import { isOffline, isWatchedByPicture } from './wording.js'

/** What the printer's agent has said that it can carry out; undefined when it has said nothing of that. */
function told(printer: Printer): readonly unknown[] | undefined {
  const { commands } = printer.settings
  return Array.isArray(commands) ? commands : undefined
}

/** Whether the printer's agent has said that it can carry this command out. */
export function offers(printer: Printer, cmd: Command['cmd']): boolean {
  return told(printer)?.includes(cmd) ?? false
}

/** Whether prints on this printer can be paused: true unless it is known that they cannot. */
export function canPausePrints(printer: Printer): boolean {
  return !isWatchedByPicture(printer) && (told(printer)?.includes('pause') ?? true)
}

/** What can be ordered of the machine itself now, beside its print. */
export interface MachineOrders {
  readonly canStop: boolean
  readonly canRestart: boolean
  readonly canShowFiles: boolean
  /** Whether one of its own files could be printed now. */
  readonly canPrint: boolean
}

/** What can be ordered now: of a printer whose agent is away nothing, of one that is down only what brings it back. */
export function machineOrders(printer: Printer): MachineOrders {
  const isHere = printer.status !== null
  const isUp = isHere && !isOffline(printer)
  const isIdle = printer.current_print === null && printer.status?.state.text === 'Operational'
  return {
    canStop: isUp && offers(printer, 'emergency_stop'),
    canRestart: isHere && (isIdle || !isUp) && offers(printer, 'restart_firmware'),
    canShowFiles: isUp && offers(printer, 'list_files'),
    canPrint: isIdle && offers(printer, 'print_file'),
  }
}
