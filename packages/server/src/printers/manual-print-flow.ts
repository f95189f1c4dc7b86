import type { PrintEventType } from '@printwarden/protocol'
import type { Kysely } from 'kysely'
import { applyReport, NO_PROGRESS, NOTHING_RUNS, type Report, type Step, type Tracking } from '../prints/lifecycle.js'
import { findPrintByTs } from '../prints/store.js'
import type { Bus, Clock, Database } from '../ports.js'
import type { Tables } from '../tables.js'
import type { Actor } from './actor-flow.js'
import type { ActionOutcome } from './action-flow.js'
import { agentSubject, type PrinterNotice, printerSubject, type ToAgent } from './notices.js'
import { type NoteEnded, readTracking, type Recorded, recordStep } from './print-flow.js'
import type { PrinterRow } from './store.js'
import { eventNotice } from './view.js'
import { shouldWatch } from './watching.js'

export interface ManualPrintFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  /** Failure detection, as far as the life of a print matters to it. */
  readonly detection: { reset(printerId: number): void }
  readonly noteEnded: NoteEnded
}

export type ManualPrintFlow = ReturnType<typeof manualPrintFlow>

const DONE: ActionOutcome = { succeeded: true, command_id: null }

/**
 * Prints that an app reports itself, on printers without an agent. They live by the same lifecycle as those of agents: what the app
 * says is taken as the events that an agent would have sent.
 */
export function manualPrintFlow({ database, bus, clock, detection, noteEnded }: ManualPrintFlowDeps) {
  /** Starts a print. One that runs has ended well by then. */
  async function start(printer: PrinterRow, filename: string): Promise<ActionOutcome> {
    const at = clock.now()
    const recorded = await database.transaction(async (trx) => {
      const ended = await end(trx, printer, 'PrintDone', at)
      const ts = await unusedTs(trx, printer.id, Math.floor(at / 1000))
      const report = reportOf(ts, 'PrintStarted', at, filename)
      const started = await record(trx, printer, NOTHING_RUNS, applyReport(NOTHING_RUNS, report))
      return { ...started, events: [...(ended?.events ?? []), ...started.events] }
    })
    tell(printer, recorded)
    return DONE
  }

  /** Ends the current print; undefined when nothing is being printed. */
  async function finish(
    printer: PrinterRow,
    status: 'success' | 'cancelled',
    actor: Actor,
  ): Promise<ActionOutcome | undefined> {
    const event = status === 'success' ? 'PrintDone' : 'PrintCancelled'
    const recorded = await database.transaction((trx) => end(trx, printer, event, clock.now(), actor))
    if (recorded === undefined) return undefined
    tell(printer, recorded)
    return DONE
  }

  async function end(
    trx: Kysely<Tables>,
    printer: PrinterRow,
    event: PrintEventType,
    at: number,
    actor?: Actor,
  ): Promise<Recorded | undefined> {
    const tracking = await readTracking(trx, printer.id, NOTHING_RUNS)
    const { running } = tracking
    if (running === undefined) return undefined
    const step = applyReport(tracking, reportOf(running.current_print_ts, event, at))
    return record(trx, printer, tracking, step, actor)
  }

  async function record(
    trx: Kysely<Tables>,
    printer: PrinterRow,
    before: Tracking,
    step: Step,
    actor?: Actor,
  ): Promise<Recorded> {
    const recorded = await recordStep(trx, { printer_id: printer.id, user_id: printer.user_id }, before, step, actor)
    await noteEnded(trx, recorded.ended)
    return recorded
  }

  function tell(printer: PrinterRow, { events, tracking }: Recorded): void {
    const say = (notice: PrinterNotice): void => bus.publish(printerSubject(printer.id), notice)
    say({ type: 'row' })
    for (const event of events) say(eventNotice(event))
    detection.reset(printer.id)
    const print = tracking.running === undefined ? null : { alert_muted_at: null }
    const frame: ToAgent = { type: 'remote_status', should_watch: shouldWatch({ printer, print }) }
    bus.publish(agentSubject(printer.id), frame)
  }

  return { start, finish }
}

/** Prints of a printer are told apart by whole seconds; two that start within one take the next second. */
async function unusedTs(trx: Kysely<Tables>, printerId: number, first: number): Promise<number> {
  let ts = first
  while ((await findPrintByTs(trx, printerId, ts)) !== undefined) ts += 1
  return ts
}

function reportOf(current_print_ts: number, type: PrintEventType, at: number, filename?: string): Report {
  return {
    current_print_ts,
    event: { type, at },
    at,
    late: false,
    offline: false,
    paused: undefined,
    filename,
    progress: NO_PROGRESS,
    recorded: undefined,
  }
}
