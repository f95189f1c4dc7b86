import { extname } from 'node:path'
import type { BlobStore, Bus, Clock, Database, LiveStore, Log } from '../../ports.js'
import { insertPrinterEvent, listPrinterEvents } from '../../prints/events-store.js'
import { findCommandBehind, findLastSystemPause } from '../../printers/commands-store.js'
import { picKey } from '../../printers/live-keys.js'
import { readLivePic } from '../../printers/live-view.js'
import { type PrinterNotice, printerSubject } from '../../printers/notices.js'
import { eventNotice } from '../../printers/view.js'
import type { PrintingPrinter } from '../watching/watch-store.js'
import { alertWording } from './alert-wording.js'
import { movePaused } from './alerts-store.js'
import { isUnrecorded, standsByPause } from './untold-pause.js'

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
  const { db } = database
  const tell = (printerId: number, notice: PrinterNotice): void => bus.publish(printerSubject(printerId), notice)

  /** Looks at a print that stands paused. Asks for more than the last pause only where that is in question. */
  async function look(printing: PrintingPrinter): Promise<void> {
    const { id, user_id, print_id } = printing
    const pause = await findLastSystemPause(db, id)
    if (!isUnrecorded(printing, pause, clock.now())) return
    const selection = { printId: print_id, types: ['PAUSED', 'RESUMED'] }
    const [last] = await listPrinterEvents(db, user_id, selection, { start: 0, limit: 1 })
    const order = await findCommandBehind(db, id, ['resume', 'cancel'], pause.created_at)
    if (last !== undefined && standsByPause(pause, last, order !== undefined)) await tellOf(printing, last.created_at)
  }

  async function tellOf(printing: PrintingPrinter, pausedAt: number): Promise<void> {
    const { id, user_id, print_id, filename } = printing
    const now = clock.now()
    const image_key = await keepPicture(id, print_id, now)
    const event = await database.transaction(async (trx) => {
      if (!(await movePaused(trx, print_id, printing, { toldAt: now, pausedAt }))) return undefined
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
