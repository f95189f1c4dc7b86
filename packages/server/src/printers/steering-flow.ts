import type { CommandName } from '@printwarden/protocol'
import { insertPrinterEvent } from '../prints/events-store.js'
import { findCurrentPrint } from '../prints/store.js'
import type { Bus, Clock, Database, LiveStore } from '../ports.js'
import type { ActionOutcome } from './action-flow.js'
import type { Actor } from './actor-flow.js'
import type { PrinterFlow } from './flow.js'
import { printerSubject } from './notices.js'
import { findStartingPrint } from './starting-print-flow.js'
import { steeringLine, type Steering } from './steering-line.js'
import type { PrinterRow } from './store.js'
import { eventNotice } from './view.js'

export interface SteeringFlowDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly bus: Bus
  readonly clock: Clock
  readonly printers: Pick<PrinterFlow, 'send'>
}

export type SteeringFlow = ReturnType<typeof steeringFlow>

const FAILED: ActionOutcome = { succeeded: false, command_id: null }

/**
 * What a user does to a printer beside steering its print. What changes something becomes a line of the printer's history, with
 * who did it: no event of a print tells of it.
 */
export function steeringFlow({ database, live, bus, clock, printers }: SteeringFlowDeps) {
  const { db } = database

  async function steer(printer: PrinterRow, steering: Steering, actor: Actor): Promise<ActionOutcome> {
    const { cmd, ...args } = steering
    const outcome = await send(printer, cmd, args, actor)
    if (outcome.succeeded) await note(printer, steering, actor)
    return outcome
  }

  async function send(printer: PrinterRow, cmd: CommandName, args: object, actor: Actor): Promise<ActionOutcome> {
    return printers.send(printer, { cmd, args: { ...args }, ...actor })
  }

  async function note(printer: PrinterRow, steering: Steering, actor: Actor): Promise<void> {
    const event = await database.transaction(async (trx) => {
      const print = await findCurrentPrint(trx, printer.id)
      const line = steeringLine(steering, actor)
      const about = { user_id: printer.user_id, printer_id: printer.id, print_id: print?.id ?? null }
      const unused = { image_key: null, info_url: null, reason: null, alert_id: null }
      return insertPrinterEvent(trx, { ...line, ...about, ...unused, created_at: clock.now() })
    })
    bus.publish(printerSubject(printer.id), eventNotice(event))
  }

  /** Stops everything at once, whether it prints or not. */
  async function emergencyStop(printer: PrinterRow, actor: Actor): Promise<ActionOutcome> {
    return steer(printer, { cmd: 'emergency_stop' }, actor)
  }

  async function restartFirmware(printer: PrinterRow, actor: Actor): Promise<ActionOutcome> {
    return steer(printer, { cmd: 'restart_firmware' }, actor)
  }

  async function excludeObject(printer: PrinterRow, name: string, actor: Actor): Promise<ActionOutcome> {
    const print = await findStartingPrint({ database, live }, printer.id)
    return print === undefined ? FAILED : steer(printer, { cmd: 'exclude_object', name }, actor)
  }

  async function answerPrompt(
    printer: PrinterRow,
    answer: { prompt_id: string; choice: number },
    actor: Actor,
  ): Promise<ActionOutcome> {
    return steer(printer, { cmd: 'answer_prompt', ...answer }, actor)
  }

  /** The list is the result of the command. */
  async function listFiles(printer: PrinterRow, actor: Actor): Promise<ActionOutcome> {
    return send(printer, 'list_files', {}, actor)
  }

  async function printFile(
    printer: PrinterRow,
    file: { path: string; origin: 'local' | 'sdcard' },
    actor: Actor,
  ): Promise<ActionOutcome> {
    const isBusy = (await findCurrentPrint(db, printer.id)) !== undefined
    return isBusy || printer.archived_at !== null ? FAILED : steer(printer, { cmd: 'print_file', ...file }, actor)
  }

  return { emergencyStop, restartFirmware, excludeObject, answerPrompt, listFiles, printFile }
}
