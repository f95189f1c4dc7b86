import { extname } from 'node:path'
import type { BlobStore, Bus, Clock, Database, LiveStore, Log } from '../../ports.js'
import { hasEventSince, insertPrinterEvent } from '../../prints/events-store.js'
import { findCommandBehind } from '../../printers/commands-store.js'
import { picKey } from '../../printers/live-keys.js'
import { readLivePic } from '../../printers/live-view.js'
import { type PrinterNotice, printerSubject } from '../../printers/notices.js'
import { eventNotice } from '../../printers/view.js'
import type { PrintingPrinter } from '../watching/watch-store.js'
import { alertWording } from './alert-wording.js'
import { movePaused } from './alerts-store.js'
import { isUntold } from './untold-pause.js'

export interface UntoldPauseFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'copy'>
  readonly bus: Bus
  readonly live: LiveStore
  readonly clock: Clock
  readonly log: Log
}

export type UntoldPauseFlow = ReturnType<typeof untoldPauseFlow>

/**
 * Tells of the pause of a failing print when the server that sent it ended before it could. A paused print is judged no more, so that
 * its user would otherwise find it paused with no word of why. What it was judged by is lost: this alert has a picture and no evidence.
 */
export function untoldPauseFlow({ database, blobs, bus, live, clock, log }: UntoldPauseFlowDeps) {
  const tell = (printerId: number, notice: PrinterNotice): void => bus.publish(printerSubject(printerId), notice)

  /** Looks at a print that stands paused. */
  async function look(printing: PrintingPrinter): Promise<void> {
    const { id, started_at } = printing
    const pause = await findCommandBehind(database.db, id, ['pause'], started_at)
    if (pause === undefined || !isUntold({ ...printing, pause }, clock.now())) return
    // Who has resumed it since then knows of it, and a pause now is another one.
    if (await hasEventSince(database.db, id, 'RESUMED', pause.created_at)) return
    await tellOf(printing)
  }

  async function tellOf({ id, user_id, print_id, filename, auto_paused_at }: PrintingPrinter): Promise<void> {
    const now = clock.now()
    const image_key = await keepPicture(id, print_id, now)
    const event = await database.transaction(async (trx) => {
      if (!(await movePaused(trx, print_id, auto_paused_at, now))) return undefined
      return insertPrinterEvent(trx, {
        ...alertWording('paused', filename),
        ...{ user_id, printer_id: id, print_id, image_key, created_at: now, initiator: 'system', reason: 'failing' },
      })
    })
    if (event === undefined) return
    tell(id, { type: 'row' })
    tell(id, eventNotice(event))
    log.warn({ printer_id: id, print_id }, 'the pause of a failing print, which no server told of, is told now')
  }

  /** The printer's newest picture, kept with the print; null when there is none, or it cannot be kept. */
  async function keepPicture(printerId: number, printId: number, now: number): Promise<string | null> {
    const pic = readLivePic(await live.get(picKey(printerId)))
    if (pic === undefined) return null
    const key = `prints/${printId}/alerts/${now}${extname(pic.key)}`
    try {
      return (await blobs.copy(pic.key, key)) ? key : null
    } catch (err) {
      log.error({ err, printer_id: printerId, print_id: printId }, 'the picture of an alert could not be kept')
      return null
    }
  }

  return { look }
}
