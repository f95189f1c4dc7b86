import type { AlertOverwrite, CommandName } from '@printwarden/protocol'
import type { PrinterEventRow } from '../prints/events-store.js'
import { insertPrinterEvent } from '../prints/events-store.js'
import { doomPrinterBlobs, removeAllDoomed } from '../prints/removal-flow.js'
import { findCurrentPrint, type PrintRecord, updatePrint } from '../prints/store.js'
import type { BlobStore, Bus, Clock, Database, LiveStore, Log } from '../ports.js'
import { type AlertChanges, acknowledge, answerAlert, muteWording } from './alert-actions.js'
import type { Actor } from './actor-flow.js'
import { pauseArgs } from './commands.js'
import type { PrinterFlow } from './flow.js'
import { liveKeysOf } from './live-view.js'
import {
  agentSubject,
  type PrinterNotice,
  printerSubject,
  REVOKED_SUBJECT,
  type RevokedNotice,
  type ToAgent,
} from './notices.js'
import { findStartingPrint } from './starting-print-flow.js'
import { deletePrinter, type PrinterRow, updateVisiblePrinter } from './store.js'
import { eventNotice } from './view.js'
import { shouldWatch } from './watching.js'

export interface ActionFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'remove' | 'removeAll'>
  readonly bus: Bus
  readonly live: LiveStore
  readonly clock: Clock
  readonly log: Log
  readonly printers: Pick<PrinterFlow, 'send'>
  /** Failure detection, as far as a user's answer matters to it: it looks afresh before it judges again. */
  readonly detection: { warmUp(printerId: number): void }
  /** What learns from answers to alerts. */
  readonly teaching: {
    answerPrint(printId: number, answer: AlertOverwrite | null, answering: Answering): Promise<void>
  }
}

/** By what a user answered, and their name or their app's. */
interface Answering {
  readonly source: 'overwrite' | 'resume' | 'cancel'
  readonly by: string | null
}

/** What became of an action. `command_id` is null when no command belongs to it. */
export interface ActionOutcome {
  readonly succeeded: boolean
  readonly command_id: string | null
}

export type ActionFlow = ReturnType<typeof actionFlow>

const FAILED: ActionOutcome = { succeeded: false, command_id: null }
const SUCCEEDED: ActionOutcome = { succeeded: true, command_id: null }

/** What a user does to a printer (decision 8). Where one is handed in whole, it was found to be the user's. */
export function actionFlow(deps: ActionFlowDeps) {
  const { database, blobs, bus, live, clock, log, printers, detection, teaching } = deps
  const { db } = database

  const tell = (printerId: number, notice: PrinterNotice): void => bus.publish(printerSubject(printerId), notice)

  /** Hands a command to the agent, if there is a print that it can be about; where `printId` names one, about no other. */
  async function command(
    printer: PrinterRow,
    { cmd, args }: { readonly cmd: CommandName; readonly args: Record<string, unknown> },
    actor: Actor,
    printId: number | undefined,
  ): Promise<ActionOutcome> {
    return (await isPrinting(printer, printId)) ? printers.send(printer, { cmd, args, ...actor }) : FAILED
  }

  /** The row was read for this request, so what it says of the print holds. Whoever names a print wants to know what runs by now. */
  async function isPrinting(printer: PrinterRow, printId: number | undefined): Promise<boolean> {
    if (printId === undefined && printer.current_print_id !== null) return true
    const print = await findStartingPrint({ database, live }, printer.id)
    return print !== undefined && (printId === undefined || print.id === printId)
  }

  async function pause(printer: PrinterRow, actor: Actor, printId?: number): Promise<ActionOutcome> {
    return command(printer, { cmd: 'pause', args: { ...pauseArgs(printer) } }, actor, printId)
  }

  /** A resume says that the alert was wrong. Only one that got through does: else the alert would fall silent for nothing. */
  async function resume(printer: PrinterRow, actor: Actor, printId?: number): Promise<ActionOutcome> {
    const outcome = await command(printer, { cmd: 'resume', args: {} }, actor, printId)
    if (outcome.succeeded) await answer(printer, 'NOT_FAILED', { source: 'resume', by: actor.initiator_name })
    return outcome
  }

  async function cancel(printer: PrinterRow, actor: Actor, printId?: number): Promise<ActionOutcome> {
    const outcome = await command(printer, { cmd: 'cancel', args: {} }, actor, printId)
    if (outcome.succeeded) await answer(printer, 'FAILED', { source: 'cancel', by: actor.initiator_name })
    return outcome
  }

  /** A printer that its host has lost prints nothing. */
  async function connect(printer: PrinterRow, actor: Actor): Promise<ActionOutcome> {
    return printers.send(printer, { cmd: 'connect', args: {}, ...actor })
  }

  async function answer(printer: PrinterRow, overwrite: AlertOverwrite, answering: Answering): Promise<void> {
    detection.warmUp(printer.id)
    const print = await findCurrentPrint(db, printer.id)
    const changes = print === undefined ? {} : answerAlert(print, overwrite, clock.now())
    if (print === undefined || Object.keys(changes).length === 0) return
    await change(print, changes)
    await teaching.answerPrint(print.id, overwrite, answering)
  }

  async function change(print: PrintRecord, changes: AlertChanges & { rearmed_at?: number }): Promise<void> {
    if (Object.keys(changes).length === 0) return
    await updatePrint(db, print.id, changes)
    tell(print.printer_id, { type: 'row' })
  }

  async function acknowledgeAlert(
    printer: PrinterRow,
    overwrite: AlertOverwrite | undefined,
    actor: Actor,
  ): Promise<ActionOutcome> {
    const print = await findCurrentPrint(db, printer.id)
    const changes = print === undefined ? undefined : acknowledge(print, overwrite, clock.now())
    if (print === undefined || changes === undefined) return FAILED
    await change(print, changes)
    if (overwrite !== undefined) {
      await teaching.answerPrint(print.id, overwrite, { source: 'overwrite', by: actor.initiator_name })
    }
    detection.warmUp(printer.id)
    return SUCCEEDED
  }

  /** Allows the server another automatic pause of this print (decision 24). */
  async function rearm(printer: PrinterRow): Promise<ActionOutcome> {
    const print = await findCurrentPrint(db, printer.id)
    if (print === undefined) return FAILED
    await change(print, { rearmed_at: clock.now() })
    detection.warmUp(printer.id)
    return SUCCEEDED
  }

  /** Turns failure detection off or on for the rest of the print. Muting what is muted changes nothing and adds no event. */
  async function mute(printer: PrinterRow, isMuted: boolean): Promise<ActionOutcome> {
    const print = await findCurrentPrint(db, printer.id)
    if (print === undefined) return FAILED
    if ((print.alert_muted_at !== null) === isMuted) return SUCCEEDED
    const now = clock.now()
    const alert_muted_at = isMuted ? now : null
    const event = await database.transaction(async (trx): Promise<PrinterEventRow> => {
      await updatePrint(trx, print.id, { alert_muted_at })
      return insertPrinterEvent(trx, {
        ...muteWording(isMuted, print.filename),
        user_id: print.user_id,
        printer_id: print.printer_id,
        print_id: print.id,
        created_at: now,
      })
    })
    if (!isMuted) detection.warmUp(printer.id)
    tell(printer.id, { type: 'row' })
    tell(printer.id, eventNotice(event))
    tellWatching(printer, { ...print, alert_muted_at })
    return SUCCEEDED
  }

  /** Tells the agent whether its pictures are wanted at the pace of detection. */
  function tellWatching(printer: PrinterRow, print: PrintRecord | null): void {
    const frame: ToAgent = { type: 'remote_status', should_watch: shouldWatch({ printer, print }) }
    bus.publish(agentSubject(printer.id), frame)
  }

  /** Changes the own columns of a user's printer; undefined when it is not the user's, or was deleted meanwhile. */
  async function update(
    { id, user_id }: Pick<PrinterRow, 'id' | 'user_id'>,
    changes: Parameters<typeof updateVisiblePrinter>[3],
  ): Promise<PrinterRow | undefined> {
    const updated = await updateVisiblePrinter(db, user_id, id, changes)
    if (updated === undefined) return undefined
    tell(id, { type: 'row' })
    if (changes.watching_enabled !== undefined) tellWatching(updated, (await findCurrentPrint(db, id)) ?? null)
    return updated
  }

  /** Deletes the printer and everything that belongs to it, and closes its agent's socket; false when it was gone already. */
  async function remove(printer: PrinterRow): Promise<boolean> {
    const doomed = await database.transaction(async (trx) => {
      const keys = await doomPrinterBlobs(trx, printer.id, clock.now())
      return (await deletePrinter(trx, printer.id)) ? keys : undefined
    })
    if (doomed === undefined) return false
    const revoked: RevokedNotice = { type: 'printer', printer_id: printer.id }
    bus.publish(REVOKED_SUBJECT, revoked)
    tell(printer.id, { type: 'removed' })
    await Promise.all(liveKeysOf([printer.id]).map((key) => live.remove(key)))
    await removeAllDoomed({ database, blobs, log }, doomed)
    log.info({ printer_id: printer.id }, 'printer deleted')
    return true
  }

  return { pause, resume, cancel, connect, acknowledgeAlert, rearm, mute, update, remove }
}
