import { setTimeout as delay } from 'node:timers/promises'
import { ActionOnFailure } from '@printwarden/protocol'
import { insertPrinterEvent } from '../../prints/events-store.js'
import { ApiError } from '../../errors.js'
import { findPrint, type PrintRow, updatePrint } from '../../prints/store.js'
import type { Bus, Clock, Database, LiveStore, Log } from '../../ports.js'
import { pauseArgs } from '../../printers/commands.js'
import { findLastSystemPause } from '../../printers/commands-store.js'
import type { PrinterFlow } from '../../printers/flow.js'
import { isWatchedByPicture } from '../../printers/picture-watch-flow.js'
import { type PrinterNotice, printerSubject } from '../../printers/notices.js'
import { eventNotice } from '../../printers/view.js'
import { type AlertFacts, type AlertStep, afterStep, judgeFrame, outcomeOf } from './alert.js'
import { alertWording } from './alert-wording.js'
import { findLastAlert } from './alerts-store.js'
import type { Decided } from './evidence.js'
import type { EvidenceFlow } from './evidence-flow.js'
import type { Frame, FrameContext } from '../frame.js'
import type { PictureFlow } from '../picture-flow.js'

export interface AlertFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly live: LiveStore
  readonly clock: Clock
  readonly log: Log
  readonly printers: Pick<PrinterFlow, 'send'>
  readonly pictures: Pick<PictureFlow, 'keepForAlert'>
  readonly evidence: EvidenceFlow
}

/** What became of a command. */
interface Sent {
  readonly isDelivered: boolean
  readonly command_id: string | null
}

/** A database that fails over is back within a minute. Who resumes the print then is to find its alert. */
const RECORD_AGAIN_MS = [500, 1_000, 2_000, ...Array.from({ length: 12 }, () => 5_000)]

const NOT_SENT: Sent = { isDelivered: false, command_id: null }

/** Whether somebody else has recorded meanwhile what these changes are to record. */
function isRecorded(present: PrintRow | undefined, before: PrintRow, changes: Partial<AlertFacts>): boolean {
  const mark = changes.auto_paused_at === undefined ? 'alerted_at' : 'auto_paused_at'
  const at = present?.[mark] ?? null
  return at !== null && at !== before[mark]
}

export type AlertFlow = ReturnType<typeof alertFlow>

/** From a level to what is done about it: the pause first, then what is written and told. */
export function alertFlow({ database, bus, live, clock, log, printers, pictures, evidence }: AlertFlowDeps) {
  /** When a pause was tried last that no agent took, by print. */
  const pauseTriedAt = new Map<number, number>()
  const stopping = new AbortController()

  const tell = (printerId: number, notice: PrinterNotice): void => bus.publish(printerSubject(printerId), notice)

  async function judge(frame: Frame, context: FrameContext, decided: Decided): Promise<void> {
    const { printer, print } = context
    const { level } = decided
    const action = level === 'failing' ? await actionOf(printer) : ActionOnFailure.parse(printer.action_on_failure)
    const isRefused = level === 'failing' && print.auto_paused_at !== null && (await isPauseRefused(printer.id))
    const step = judgeFrame(print, level, action, clock.now(), pauseTriedAt.get(print.id) ?? null, isRefused)
    if (step.type === 'nothing') return
    const command = step.type === 'pause' ? await pause(context) : NOT_SENT
    const at = clock.now()
    const keep = (): Promise<void> => record(frame, context, step, command, action, decided, at)
    await (command.isDelivered ? surely(keep, print.id, command) : keep())
  }

  /** A paused print is judged no more: what is not recorded of its pause now never is. So a database that is away is waited for. */
  async function surely(keep: () => Promise<void>, printId: number, { command_id }: Sent): Promise<void> {
    let isInDoubt = false
    for (const waitMs of RECORD_AGAIN_MS) {
      try {
        // Only the answer may have been lost.
        if (isInDoubt && (await findLastAlert(database.db, printId))?.command_id === command_id) return
        return await keep()
      } catch (err) {
        if (!(err instanceof ApiError && err.code === 'unavailable') || stopping.signal.aborted) throw err
        log.warn({ err, print_id: printId }, 'the alert of a paused print could not be recorded, and is tried again')
      }
      isInDoubt = true
      await delay(waitMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
    }
    throw new ApiError('unavailable', 'The alert of a paused print could not be recorded.')
  }

  /** What is done about a failure. A printer that only its camera tells of cannot be paused, whatever it is set to. */
  async function actionOf(printer: FrameContext['printer']): Promise<ActionOnFailure> {
    const action = ActionOnFailure.parse(printer.action_on_failure)
    return action !== 'NONE' && (await isWatchedByPicture(live, printer.id)) ? 'NONE' : action
  }

  /** Whether the printer did not obey the server's last pause. Asked only while a print fails on that should be paused. */
  async function isPauseRefused(printerId: number): Promise<boolean> {
    const last = await findLastSystemPause(database.db, printerId)
    return last?.status === 'failed' || last?.status === 'timed_out'
  }

  /** Sends the pause, and says whether an agent took it. */
  async function pause({ printer, print }: FrameContext): Promise<Sent> {
    const ids = { printer_id: printer.id, print_id: print.id }
    try {
      const command = { cmd: 'pause', args: pauseArgs(printer), initiator: 'system', reason: 'failing' } as const
      const { succeeded, command_id } = await printers.send(printer, command)
      if (succeeded) pauseTriedAt.delete(print.id)
      else pauseTriedAt.set(print.id, clock.now())
      log.warn({ ...ids, succeeded }, 'a failing print is paused')
      return { isDelivered: succeeded, command_id }
    } catch (err) {
      pauseTriedAt.set(print.id, clock.now())
      log.error({ err, ...ids }, 'a failing print could not be paused')
      return NOT_SENT
    }
  }

  async function record(
    frame: Frame,
    context: FrameContext,
    step: AlertStep,
    { isDelivered, command_id }: Sent,
    action: ActionOnFailure,
    decided: Decided,
    now: number,
  ): Promise<void> {
    const { printer, print } = context
    const changes = afterStep(print, step, isDelivered, now)
    if (Object.keys(changes).length === 0) return
    if (step.type === 'pause' && step.isRetry) {
      await updatePrint(database.db, print.id, changes)
      tell(printer.id, { type: 'row' })
      return
    }
    const image_key = await pictures.keepForAlert(print.id, frame, decided.findings.tagged)
    const outcome = outcomeOf(step, isDelivered, action)
    const alert = await evidence.alertOf(frame, context, decided, { outcome, image_key, command_id, created_at: now })
    const event = await database.transaction(async (trx) => {
      // While an agent moves from node to node, both may judge its pictures: what is told is what was recorded first.
      if (isRecorded(await findPrint(trx, print.id), print, changes)) return undefined
      await updatePrint(trx, print.id, changes)
      const { id: alert_id } = await evidence.keep(trx, alert)
      return insertPrinterEvent(trx, {
        ...alertWording(outcome, print.filename, frame.camera.is_primary === 1 ? undefined : frame.camera.name),
        user_id: print.user_id,
        printer_id: printer.id,
        print_id: print.id,
        image_key,
        created_at: now,
        ...{ initiator: 'system', reason: 'failing', alert_id },
      })
    })
    tell(printer.id, { type: 'row' })
    if (event === undefined) return
    tell(printer.id, eventNotice(event))
    log.info({ printer_id: printer.id, print_id: print.id, outcome }, 'failure alert')
  }

  /** Forgets what was tried for prints of a printer that are over. */
  function forget(printId: number): void {
    pauseTriedAt.delete(printId)
  }

  /** Waits for nothing any more: what cannot be recorded at once is given up. */
  function hurry(): void {
    stopping.abort()
  }

  return { judge, forget, hurry }
}
