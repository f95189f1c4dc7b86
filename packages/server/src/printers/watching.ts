import type { NotWatchingCode, PrinterStatus } from '@printwarden/protocol'
import type { PrinterRow } from './store.js'

/** A camera that has sent nothing for this long is not being watched: agents send every ten seconds while printing. */
export const PIC_MISSING_AFTER_MS = 3 * 60_000

/** What decides whether pictures of a printer are checked for failures. */
export interface WatchingFacts {
  readonly printer: Pick<PrinterRow, 'watching_enabled'>
  /** The printer's current print. */
  readonly print: { readonly alert_muted_at: number | null } | null
  readonly status: PrinterStatus | null
  /** When the newest picture was taken, in Unix seconds. */
  readonly pic: { readonly ts: number } | null
  readonly detectorReady: boolean
}

/** Why the printer's pictures are not checked for failures; null when they are. The first reason that holds. */
export function notWatchingCode(facts: WatchingFacts, now: number): NotWatchingCode | null {
  const { printer, print, status, pic } = facts
  if (printer.watching_enabled === 0) return 'disabled'
  if (!facts.detectorReady) return 'detector_unavailable'
  if (status === null || status.state.text === 'Offline') return 'offline'
  if (!status.state.flags.printing || print === null) return 'not_printing'
  if (print.alert_muted_at !== null) return 'muted'
  if (pic === null || now - pic.ts * 1000 > PIC_MISSING_AFTER_MS) return 'no_picture'
  return null
}

/**
 * Whether the agent should send pictures at the pace that detection needs. It is told so (`remote_status.should_watch`) and
 * stays true through a pause, so that nothing is missed when the print goes on.
 */
export function shouldWatch({ printer, print }: Pick<WatchingFacts, 'printer' | 'print'>): boolean {
  return printer.watching_enabled !== 0 && print !== null && print.alert_muted_at === null
}
