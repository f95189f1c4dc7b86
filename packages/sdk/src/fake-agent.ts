import type { Command, CommandName, PrinterEvent, PrinterStatus, PrintSummary, StateFlags } from '@printwarden/protocol'
import { type FakePrinterRecord, type FakePrintRecord, type FakeState, tell } from './fake-state.js'

// What a real agent and printer bring about, done to the fake's state.

const FLAGS: StateFlags = {
  operational: true,
  printing: false,
  cancelling: false,
  pausing: false,
  resuming: false,
  finishing: false,
  paused: false,
}

const STATES = {
  Operational: { ...FLAGS, ready: true },
  Printing: { ...FLAGS, printing: true },
  Paused: { ...FLAGS, paused: true },
  Offline: { ...FLAGS, operational: false, closedOrError: true },
} as const

/** The status of a printer in one of the states that last. */
export function statusOf(state: FakeState, text: keyof typeof STATES): PrinterStatus {
  return { _ts: Date.parse(state.now()) / 1000, state: { text, flags: STATES[text] } }
}

/** A print that has just begun. */
export function newPrint(state: FakeState, printer: FakePrinterRecord, filename: string): FakePrintRecord {
  const summary: PrintSummary = {
    id: state.nextId(),
    filename,
    g_code_file: null,
    started_at: state.now(),
    ended_at: null,
    finished_at: null,
    cancelled_at: null,
    failed_at: null,
    uploaded_at: null,
    alerted_at: null,
    alert_acknowledged_at: null,
    alert_muted_at: null,
    paused_at: null,
    video_url: null,
    tagged_video_url: null,
    poster_url: null,
    alert_overwrite: null,
    filament_used: null,
    print_time: null,
    access_consented_at: null,
    video_archived_at: null,
    need_alert_overwrite: true,
    need_print_shot_feedback: false,
    prediction_json_url: null,
    timelapse: null,
    last_action: null,
  }
  const print = { printerId: printer.id, userId: printer.userId, summary }
  state.prints.set(summary.id, print)
  return print
}

/** The print that runs on a printer. */
export function currentPrint(state: FakeState, printer: FakePrinterRecord): FakePrintRecord | undefined {
  return printer.currentPrintId === null ? undefined : state.prints.get(printer.currentPrintId)
}

type Line = Pick<PrinterEvent, 'event_type' | 'event_class' | 'event_title' | 'event_text'>

/** Adds a line to a printer's history and tells subscribers. */
export function addEvent(state: FakeState, printer: FakePrinterRecord, line: Line): void {
  const event: PrinterEvent = {
    ...line,
    id: state.nextId(),
    image_url: null,
    info_url: null,
    created_at: state.now(),
    print: printer.currentPrintId,
    printer: printer.id,
    ...{ initiator: null, initiator_name: null, reason: null, alert_id: null },
  }
  state.events.push(event)
  tell(state, { type: 'event', event })
}

/** A print begins. One that still runs has come to its end, as nobody said otherwise. */
export function begin(state: FakeState, printer: FakePrinterRecord, filename: string): FakePrintRecord {
  if (currentPrint(state, printer) !== undefined) end(state, printer, 'cancelled')
  const print = newPrint(state, printer, filename)
  printer.currentPrintId = print.summary.id
  addEvent(state, printer, {
    event_type: 'STARTED',
    event_class: 'INFO',
    event_title: 'Print started',
    event_text: `${filename} is being printed.`,
  })
  setState(state, printer, 'Printing')
  return print
}

const ENDS = {
  finished: { event_class: 'SUCCESS', event_title: 'Print finished' },
  cancelled: { event_class: 'WARNING', event_title: 'Print cancelled' },
  failed: { event_class: 'ERROR', event_title: 'Print failed' },
} as const

/** How a print ends. */
export type PrintEnd = keyof typeof ENDS

/** The current print ends. A failed one counts as cancelled too (decision 19). */
export function end(state: FakeState, printer: FakePrinterRecord, how: PrintEnd): void {
  const print = currentPrint(state, printer)
  if (print === undefined) return
  const at = state.now()
  print.summary = { ...print.summary, ...endFields(how, at) }
  addEvent(state, printer, { ...ENDS[how], event_type: 'ENDED', event_text: print.summary.filename })
  printer.currentPrintId = null
  printer.normalizedP = 0
  setState(state, printer, 'Operational')
}

export function endFields(how: PrintEnd, at: string): Partial<PrintSummary> {
  if (how === 'finished') return { ended_at: at, finished_at: at }
  return { ended_at: at, cancelled_at: at, ...(how === 'failed' ? { failed_at: at } : {}) }
}

/** The agent reports a state; without an agent there is none. */
export function setState(state: FakeState, printer: FakePrinterRecord, text: keyof typeof STATES): void {
  printer.status = printer.isConnected ? statusOf(state, text) : null
  tell(state, { type: 'changed' })
}

/** Moves a command on and tells subscribers. */
export function stepCommand(state: FakeState, id: string, step: Partial<Command>): void {
  const command = state.commands.get(id)
  if (command === undefined) return
  const stepped = { ...command, ...step }
  state.commands.set(id, stepped)
  tell(state, { type: 'command', command: stepped })
}

/** What a printer does when it obeys. A `print` is begun by whoever knows its file. */
export function obey(state: FakeState, printer: FakePrinterRecord, cmd: CommandName): void {
  if (cmd === 'pause') setState(state, printer, 'Paused')
  if (cmd === 'resume') setState(state, printer, 'Printing')
  if (cmd === 'cancel') end(state, printer, 'cancelled')
  if (cmd === 'connect' || cmd === 'restart_firmware') recover(state, printer)
  if (cmd !== 'emergency_stop') return
  end(state, printer, 'failed')
  setState(state, printer, 'Offline')
}

/** A printer that was stopped is there again; of one that prints nothing changes. */
function recover(state: FakeState, printer: FakePrinterRecord): void {
  if (currentPrint(state, printer) === undefined) setState(state, printer, 'Operational')
}
