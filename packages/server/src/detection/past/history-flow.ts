import type { Kysely } from 'kysely'
import { pictureLibrary } from '../../picture-library.js'
import { addFeedbackShots, listFeedbackOfPrints } from '../../prints/feedback-store.js'
import { findPrint, type PrintRow } from '../../prints/store.js'
import type { BlobStore, Clock, Database, Log } from '../../ports.js'
import { findPrinter } from '../../printers/store.js'
import { settingsView } from '../../printers/settings-view.js'
import type { Tables } from '../../tables.js'
import { listCameras } from '../cameras/cameras-store.js'
import {
  HISTORY_QUALITY,
  HISTORY_WIDTH,
  historyKey,
  historyPrefix,
  MAX_HISTORY_FRAMES,
  overQuota,
  thinned,
} from './history.js'
import {
  deleteHistory,
  type HistoryFrameRow,
  insertHistoryFrames,
  listHistoryFrames,
  listHistoryPredictions,
  listHistorySizes,
} from './history-store.js'
import { pickShots } from './shots.js'

const BATCH_ROWS = 100

/** A full picture that is kept until the print's time-lapse is made. */
export interface RawFrame {
  readonly key: string
  /** When it was taken, in milliseconds. */
  readonly frame_at: number
}

export interface HistoryFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'get' | 'put' | 'removeAll'>
  readonly clock: Clock
  readonly log: Log
  /** The full pictures of a print, in order of time. */
  readonly frames: { list(printId: number): Promise<readonly RawFrame[]> }
  /** How many bytes the small pictures of all prints may have together; 0 keeps none. */
  readonly quotaBytes: number
}

export type HistoryFlow = ReturnType<typeof historyFlow>

/** What stays of a print's pictures once its time-lapse is made: shots to ask about, and small pictures to look back on. */
export function historyFlow({ database, blobs, clock, log, frames, quotaBytes }: HistoryFlowDeps) {
  const { db } = database

  /**
   * Makes both from the full pictures, off the way of live frames. To be called at a print's end, before those go; called again, it
   * goes on where it was cut off.
   */
  async function keepHistory(print: PrintRow): Promise<void> {
    const raw = await frames.list(print.id)
    await keepShots(print, raw)
    if (quotaBytes > 0) await keepSmall(print, raw)
    // Deleted meanwhile: what was put since then belongs to nobody.
    if (!(await isThere(db, print.id))) await blobs.removeAll(`prints/${print.id}/`)
    await makeRoom()
  }

  /** Copies, turned upright as the user sees them, of the pictures to ask about. A print is asked about once. */
  async function keepShots(print: PrintRow, raw: readonly RawFrame[]): Promise<void> {
    if ((await listFeedbackOfPrints(db, [print.id])).length > 0) return
    const keyAt = new Map(raw.map(({ frame_at, key }) => [frame_at, key]))
    const analysed = await listHistoryPredictions(db, print.id)
    const picked = pickShots(analysed.filter(({ frame_at }) => keyAt.has(frame_at)))
    if (picked.length === 0) return
    const printer = await findPrinter(db, print.printer_id)
    const view = settingsView(printer?.settings ?? '{}')
    const cameras = await listCameras(db, print.printer_id)
    const camera_id = cameras.find(({ is_primary }) => is_primary === 1)?.id ?? null
    const rows: Parameters<typeof addFeedbackShots>[1][number][] = []
    for (const { frame_at } of picked) {
      const blob = await blobs.get(keyAt.get(frame_at) ?? '')
      if (blob === undefined) continue
      const image_key = `prints/${print.id}/shots/${frame_at}.jpg`
      await blobs.put(image_key, await turned(blob.bytes, view), 'image/jpeg')
      const row = { print_id: print.id, user_id: print.user_id, image_key, answer: null, answered_at: null }
      rows.push({ ...row, frame_at, camera_id, created_at: clock.now() })
    }
    await database.transaction(async (trx) => {
      if (await isThere(trx, print.id)) await addFeedbackShots(trx, rows)
    })
  }

  async function isThere(trx: Kysely<Tables>, printId: number): Promise<boolean> {
    return (await findPrint(trx, printId)) !== undefined
  }

  async function keepSmall(print: PrintRow, raw: readonly RawFrame[]): Promise<void> {
    const have = new Set((await listHistoryFrames(db, print.id)).map(({ frame_at }) => frame_at))
    const analysed = new Set((await listHistoryPredictions(db, print.id)).map(({ frame_at }) => frame_at))
    const wanted = thinned(
      raw.filter(({ frame_at }) => analysed.has(frame_at)),
      MAX_HISTORY_FRAMES,
    ).filter(({ frame_at }) => !have.has(frame_at))
    let rows: HistoryFrameRow[] = []
    for (const frame of wanted) {
      const row = await shrink(print.id, frame)
      if (row !== undefined) rows.push(row)
      if (rows.length < BATCH_ROWS) continue
      await insertHistoryFrames(db, rows)
      rows = []
    }
    if (await isThere(db, print.id)) await insertHistoryFrames(db, rows)
  }

  /** Makes one small picture; undefined when the full one cannot be read. */
  async function shrink(printId: number, { key, frame_at }: RawFrame): Promise<HistoryFrameRow | undefined> {
    const sharp = await pictureLibrary()
    try {
      const blob = await blobs.get(key)
      if (blob === undefined) return undefined
      const picture = sharp(blob.bytes).autoOrient()
      const { autoOrient } = await picture.metadata()
      const small = await picture
        .resize({ width: HISTORY_WIDTH, withoutEnlargement: true })
        .jpeg({ quality: HISTORY_QUALITY })
        .toBuffer()
      await blobs.put(historyKey(printId, frame_at), small, 'image/jpeg')
      return { print_id: printId, frame_at, width: autoOrient.width, height: autoOrient.height, bytes: small.length }
    } catch (err) {
      log.debug({ err, print_id: printId }, 'a small picture could not be made')
      return undefined
    }
  }

  /** Lets the small pictures of the oldest prints go when all together are more than the quota. */
  async function makeRoom(): Promise<void> {
    for (const printId of overQuota(await listHistorySizes(db), quotaBytes)) {
      await deleteHistory(db, printId)
      await blobs.removeAll(historyPrefix(printId))
      log.info({ print_id: printId }, 'the small pictures of an old print were removed')
    }
  }

  return { keepHistory }
}

/** A picture as its user sees it: mirrored, then turned, as the agent's settings say. */
async function turned(bytes: Uint8Array, view: Record<string, unknown>): Promise<Buffer> {
  const rotation = typeof view['webcam_rotation'] === 'number' ? view['webcam_rotation'] : 0
  const sharp = await pictureLibrary()
  const upright = sharp(await sharp(bytes).autoOrient().toBuffer())
  if (view['webcam_flipH'] === true) upright.flop()
  if (view['webcam_flipV'] === true) upright.flip()
  // sharp turns before it mirrors within one run, so that the turn has one of its own.
  const mirrored = await upright.jpeg({ quality: 90 }).toBuffer()
  return rotation % 360 === 0 ? mirrored : sharp(mirrored).rotate(rotation).jpeg({ quality: 88 }).toBuffer()
}
