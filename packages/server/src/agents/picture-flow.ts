import type { Picture } from '../detection/check-picture-flow.js'
import type { DetectionFlow } from '../detection/flow.js'
import { PrinterTurns } from '../detection/printer-turns.js'
import type { AgentCaller } from '../http/api.js'
import { findRunningPrint } from '../prints/store.js'
import type { BlobStore, Bus, Database, LiveStore, Secrets } from '../ports.js'
import { type LivePic, PIC_TTL_MS, picKey } from '../printers/live-keys.js'
import { type PrinterNotice, printerSubject } from '../printers/notices.js'
import { picturePath, picturePrefix, readKey, readLivePic, replacedKey } from './picture.js'

export interface PictureFlowDeps {
  readonly database: Database
  readonly blobs: BlobStore
  readonly bus: Bus
  readonly live: LiveStore
  readonly secrets: Pick<Secrets, 'newToken'>
  readonly detection: Pick<DetectionFlow, 'offer'>
}

/** A picture that was looked at: it is what it says, and can be decoded. */
export interface Snapshot extends Picture {
  /** When it was taken, in milliseconds by the server's clock. */
  readonly taken_at: number
  /** Only to be looked at. */
  readonly viewing_boost: boolean
}

export type PictureFlow = ReturnType<typeof pictureFlow>

/** Pictures that agents upload: kept, shown, and handed to detection. */
export function pictureFlow({ database, blobs, bus, live, secrets, detection }: PictureFlowDeps) {
  const turns = new PrinterTurns()

  const newPath = (printerId: number, folder: 'pic' | 'events', at: number, picture: Picture): string =>
    picturePath(printerId, folder, `${at}-${secrets.newToken(4)}`, picture.type)

  /** Makes the snapshot the printer's newest picture, unless a newer one is there. Those of one printer take turns. */
  async function show({ printer_id, user_id }: AgentCaller, snapshot: Snapshot): Promise<void> {
    const raw_key = newPath(printer_id, 'pic', snapshot.taken_at, snapshot)
    const isShown = await turns.run(printer_id, () => replace(printer_id, raw_key, snapshot))
    if (!isShown || snapshot.viewing_boost) return
    const print = await findRunningPrint(database.db, printer_id)
    if (print === undefined) return
    const { bytes, taken_at: frame_at } = snapshot
    detection.offer({ printer_id, user_id, print_id: print.id, raw_key, frame_at, bytes })
  }

  async function replace(printerId: number, key: string, { bytes, type, taken_at }: Snapshot): Promise<boolean> {
    const previous = readLivePic(await live.get(picKey(printerId)))
    // Pictures of an earlier run of the server, or from long ago, are not known by name any more.
    if (previous === undefined) await blobs.removeAll(picturePrefix(printerId))
    await blobs.put(key, bytes, type)
    const pic: LivePic = { key, raw_key: key, ts: taken_at / 1000 }
    if (!(await live.put(picKey(printerId), pic, { ts: taken_at, ttlMs: PIC_TTL_MS }))) {
      await blobs.remove(key)
      return false
    }
    const notice: PrinterNotice = { type: 'pic', pic }
    bus.publish(printerSubject(printerId), notice)
    if (previous !== undefined) await retire(printerId, previous.raw_key, taken_at)
    return true
  }

  /** Keeps the picture that was replaced until the next one is: a client may be about to fetch it. */
  async function retire(printerId: number, key: string, at: number): Promise<void> {
    const oldest = readKey(await live.get(replacedKey(printerId)))
    if (oldest !== undefined) await blobs.remove(oldest)
    await live.put(replacedKey(printerId), key, { ts: at, ttlMs: PIC_TTL_MS })
  }

  /** Keeps the picture of a printer event for as long as the printer is there. */
  async function keepForEvent(printerId: number, picture: Picture, at: number): Promise<string> {
    const key = newPath(printerId, 'events', at, picture)
    await blobs.put(key, picture.bytes, picture.type)
    return key
  }

  return { show, keepForEvent }
}
