import type { Command, NotWatchingCode, Pic, Printer, PrinterSummary } from '@printwarden/protocol'
import {
  ActionOnFailure,
  CommandName,
  CommandStatus,
  Initiator,
  NOT_WATCHING_REASONS,
  PrinterFiles,
} from '@printwarden/protocol'
import type { PrinterEventRow } from '../prints/events-store.js'
import type { PrintRecord, ShownPrinter } from '../prints/store.js'
import { instantView, printerEventView, printSummaryView, type Viewer } from '../prints/view.js'
import type { CommandRow } from './commands-store.js'
import type { LivePic } from './live-keys.js'
import type { LiveFacts } from './live-view.js'
import type { PrinterNotice } from './notices.js'
import { settingsView } from './settings-view.js'
import type { PrinterRow } from './store.js'
import { notWatchingCode } from './watching.js'
import { type WatchingViewFacts, watchingView } from './watching-view.js'

/** Everything that a printer is shown from. */
export interface PrinterFacts {
  readonly printer: PrinterRow
  /** The `auth_token` in the clear. Only those who may write see it (decision 15). */
  readonly authToken: string
  readonly print: PrintRecord | null
  readonly live: LiveFacts
  readonly detectorReady: boolean
  /** Why it is not, for people. */
  readonly detectorProblem?: string | null
}

/** What a printer inside a print is shown from: of its own current print it matters only whether that is muted. */
export type PrinterSummaryFacts = Omit<PrinterFacts, 'printer' | 'print'> & {
  readonly printer: ShownPrinter
  readonly print: Pick<PrintRecord, 'alert_muted_at'> | null
}

/** The fields of a printer that change by the second. */
export type LivePrinter = Pick<Printer, WatchingField | 'pic' | 'status' | 'normalized_p' | 'watching'>

type WatchingField = 'not_watching_reason' | 'not_watching_code'

/** A printer as its owner sees it. */
export function printerView(facts: PrinterFacts, viewer: Viewer, now: number): Printer {
  const { printer, print } = facts
  return {
    ...printerSummaryView(facts, viewer, now),
    ...livePrinterView(facts, viewer, now),
    settings: settingsView(printer.settings),
    current_print: print === null ? null : printSummaryView(print, viewer),
  }
}

/** Of a printer only what changes by the second. */
export function livePrinterView(facts: PrinterFacts, viewer: Viewer, now: number): LivePrinter {
  const { live, print } = facts
  return {
    ...whyNotView(facts, now),
    pic: live.pic === null ? null : picView(live.pic, viewer),
    status: live.status,
    // What the gauge showed last is of no meaning once the print is over.
    normalized_p: print === null ? 0 : live.normalized_p,
    watching: watchingView(watchingFacts(facts), now),
  }
}

/** A printer without what changes by the second. */
export function printerSummaryView(facts: PrinterSummaryFacts, viewer: Viewer, now: number): PrinterSummary {
  const { printer } = facts
  return {
    id: printer.id,
    name: printer.name,
    created_at: instantView(printer.created_at),
    action_on_failure: ActionOnFailure.parse(printer.action_on_failure),
    watching_enabled: printer.watching_enabled !== 0,
    ...whyNotView(facts, now),
    tools_off_on_pause: printer.tools_off_on_pause !== 0,
    bed_off_on_pause: printer.bed_off_on_pause !== 0,
    retract_on_pause: printer.retract_on_pause,
    lift_z_on_pause: printer.lift_z_on_pause,
    detective_sensitivity: printer.detective_sensitivity,
    min_timelapse_secs_on_finish: printer.min_timelapse_secs_on_finish,
    min_timelapse_secs_on_cancel: printer.min_timelapse_secs_on_cancel,
    auth_token: viewer.canWrite ? facts.authToken : null,
    archived_at: instantView(printer.archived_at),
    agent_name: printer.agent_name,
    agent_version: printer.agent_version,
  }
}

function watchingFacts({ printer, print, live, detectorReady }: PrinterSummaryFacts): WatchingViewFacts {
  const { status, pic, watch = null } = live
  const printId = print !== null && 'id' in print && typeof print.id === 'number' ? print.id : null
  return { printer, print, detectorReady, status, pic, watch, printId }
}

function whyNotView(facts: PrinterSummaryFacts, now: number): Pick<Printer, WatchingField> {
  const code = notWatchingCode(watchingFacts(facts), now)
  return { not_watching_reason: code === null ? null : reasonOf(code, facts.detectorProblem), not_watching_code: code }
}

/** Where the server itself is to blame, its own words say what to do. */
function reasonOf(code: NotWatchingCode, problem: string | null | undefined): string {
  const reason = NOT_WATCHING_REASONS[code]
  return code === 'detector_unavailable' && typeof problem === 'string' ? `${reason} ${problem}` : reason
}

function picView(pic: LivePic, { mediaUrl }: Viewer): Pic {
  return { img_url: mediaUrl(pic.key), raw_url: mediaUrl(pic.raw_key), ts: pic.ts }
}

/** A command on its way. */
export function commandView(command: CommandRow): Command {
  return {
    id: command.id,
    printer_id: command.printer_id,
    cmd: CommandName.parse(command.cmd),
    initiator: Initiator.parse(command.initiator),
    initiator_name: command.initiator_name,
    reason: command.reason,
    alert_id: command.alert_id,
    status: CommandStatus.parse(command.status),
    error: command.error,
    result: command.result === null ? null : PrinterFiles.parse(JSON.parse(command.result)),
    created_at: instantView(command.created_at),
    acked_at: instantView(command.acked_at),
    done_at: instantView(command.done_at),
  }
}

/** A new line of the history as it is told to subscribers, each of whom gets a picture URL of their own. */
export function eventNotice(event: PrinterEventRow): PrinterNotice {
  const view = printerEventView({ ...event, image_key: null }, (key) => key)
  return { type: 'event', event: view, image_key: event.image_key }
}
