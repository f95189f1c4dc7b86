import type { LastAction, PrinterEventClass, PrinterEventType } from '@printwarden/protocol'
import { byWords } from './last-action.js'
import type { Happening, TrackedPrint } from './tracked-print.js'

/** One line of a printer's history, in words. */
export interface HistoryLine {
  readonly event_type: PrinterEventType
  readonly event_class: PrinterEventClass
  readonly event_title: string
  readonly event_text: string
}

/** How the history tells what happened to a print, and by whom when that is known. */
export function historyLine({ type }: Happening, print: TrackedPrint, action?: LastAction): HistoryLine {
  const file = print.filename === '' ? 'The print' : print.filename
  if (type === 'STARTED') return line(type, 'INFO', 'Print started', `${file} is being printed.`)
  const by = action && byWords(action)
  if (type === 'PAUSED') {
    return line(type, 'INFO', 'Print paused', by === undefined ? `${file} is paused.` : `${file} was paused ${by}.`)
  }
  if (type === 'RESUMED') {
    return line(type, 'INFO', 'Print resumed', by === undefined ? `${file} goes on.` : `${file} was resumed ${by}.`)
  }
  return endLine(file, print, by)
}

function endLine(file: string, { state, end_assumed }: TrackedPrint, by: string | undefined): HistoryLine {
  const unsaid = end_assumed ? ' The agent did not say how it ended.' : ''
  if (state === 'finished') return line('ENDED', 'SUCCESS', 'Print finished', `${file} is done.${unsaid}`)
  if (state === 'failed') return line('ENDED', 'ERROR', 'Print failed', `${file} failed.${unsaid}`)
  return line(
    'ENDED',
    'WARNING',
    'Print cancelled',
    `${file} was cancelled${by === undefined ? '' : ` ${by}`}.${unsaid}`,
  )
}

function line(
  event_type: PrinterEventType,
  event_class: PrinterEventClass,
  event_title: string,
  event_text: string,
): HistoryLine {
  return { event_type, event_class, event_title, event_text }
}
