import type { Camera, Print, PrinterStatus } from '@printwarden/protocol'
import { addEvent, begin, currentPrint, end, type PrintEnd, setState, statusOf, stepCommand } from './fake-agent.js'
import { addAlert, keepScore } from './fake-alert-records.js'
import { findOrAddCamera } from './fake-camera-records.js'
import type { FakePrinterRecord, FakeState } from './fake-state.js'
import { tell } from './fake-state.js'
import { printView } from './fake-views.js'

/** A printer of the fake server, and its agent: what happens in the workshop, told by the test. */
export interface FakePrinter {
  readonly id: number
  /** What its agent signs in with. */
  readonly authToken: string
  /** The agent connects; the printer is then idle, or goes on with its print. */
  connect(): void
  /** The agent is gone: the printer is offline, and a print goes on unseen. */
  disconnect(): void
  /** A print begins, as if started at the printer. */
  startPrint(filename?: string): Print
  /** The current print ends. */
  endPrint(how?: PrintEnd): void
  /** The agent reports more of the status, such as `progress` or `temperatures`. */
  report(status: Partial<PrinterStatus>): void
  /** A picture of the current print was looked at: its score is kept. `p`, what the gauge shows then, is the score unless given. */
  analyse(score: number, p?: number): void
  /** A camera shows up, as with its first picture. The first one is the primary one. */
  addCamera(name?: string): Camera
  /** Failure detection raises an alert for the current print. `p` is the failure gauge, from 0 to 1. */
  alert(p?: number): void
  /** Moves a command on that was ignored (see `FakeServerOptions.onCommand`). */
  answerCommand(id: string, status: 'acked' | 'done' | 'failed' | 'timed_out', error?: string): void
}

/** The hand with which a test moves one printer. */
export function fakePrinter(state: FakeState, printer: FakePrinterRecord): FakePrinter {
  const running = () => {
    const print = currentPrint(state, printer)
    if (print === undefined) throw new Error(`printer ${printer.id} prints nothing`)
    return print
  }
  return {
    id: printer.id,
    get authToken() {
      return printer.authToken
    },
    connect() {
      printer.isConnected = true
      setState(state, printer, currentPrint(state, printer) === undefined ? 'Operational' : 'Printing')
    },
    disconnect() {
      printer.isConnected = false
      printer.status = null
      tell(state, { type: 'changed' })
    },
    startPrint: (filename = 'part.gcode') => printView(state, begin(state, printer, filename), { canWrite: true }),
    endPrint(how = 'finished') {
      running()
      end(state, printer, how)
    },
    report(status) {
      printer.status = { ...(printer.status ?? statusOf(state, 'Operational')), ...status }
      tell(state, { type: 'changed' })
    },
    analyse(score, p = score) {
      keepScore(state, running(), score, p)
      printer.normalizedP = p
      tell(state, { type: 'changed' })
    },
    addCamera: (name = '') => findOrAddCamera(state, printer, name).camera,
    alert(p = 0.9) {
      const print = running()
      printer.normalizedP = p
      keepScore(state, print, p, p)
      addAlert(state, printer, print, p)
      print.summary = { ...print.summary, alerted_at: state.now(), alert_acknowledged_at: null }
      addEvent(state, printer, {
        event_type: 'FAILURE_ALERTED',
        event_class: 'ERROR',
        event_title: 'Failure detected',
        event_text: print.summary.filename,
      })
      tell(state, { type: 'changed' })
    },
    answerCommand(id, status, error) {
      const time = status === 'acked' ? { acked_at: state.now() } : { done_at: status === 'done' ? state.now() : null }
      stepCommand(state, id, { status, error: error ?? null, ...time })
    },
  }
}
