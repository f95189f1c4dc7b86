import type { PrinterEventClass, PrinterEventType } from '@printwarden/protocol'
import type { Happening, TrackedPrint } from './tracked-print.js'

/** One line of a printer's history, in words. */
export interface HistoryLine {
  readonly event_type: PrinterEventType
  readonly event_class: PrinterEventClass
  readonly event_title: string
  readonly event_text: string
}

/** How the history tells what happened to a print. */
export function historyLine({ type }: Happening, print: TrackedPrint): HistoryLine {
  const file = print.filename === '' ? 'The print' : print.filename
  if (type === 'STARTED') return line(type, 'INFO', 'Print started', `${file} is being printed.`)
  if (type === 'PAUSED') return line(type, 'INFO', 'Print paused', `${file} is paused.`)
  if (type === 'RESUMED') return line(type, 'INFO', 'Print resumed', `${file} goes on.`)
  return endLine(file, print)
}

function endLine(file: string, { state, end_assumed }: TrackedPrint): HistoryLine {
  const unsaid = end_assumed ? ' The agent did not say how it ended.' : ''
  if (state === 'finished') return line('ENDED', 'SUCCESS', 'Print finished', `${file} is done.${unsaid}`)
  if (state === 'failed') return line('ENDED', 'ERROR', 'Print failed', `${file} failed.${unsaid}`)
  return line('ENDED', 'WARNING', 'Print cancelled', `${file} was cancelled.${unsaid}`)
}

function line(
  event_type: PrinterEventType,
  event_class: PrinterEventClass,
  event_title: string,
  event_text: string,
): HistoryLine {
  return { event_type, event_class, event_title, event_text }
}
