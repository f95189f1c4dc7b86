import type { BlobStore, Bus, LiveStore, Log } from '../ports.js'
import { type LivePic, PIC_TTL_MS, picKey } from '../printers/live-keys.js'
import { type PrinterNotice, printerSubject } from '../printers/notices.js'
import type { Frame } from './frame.js'
import { PICTURE_ENDINGS, pictureType } from './picture-type.js'

/** How many tagged pictures of a printer stay: a client may still be fetching the one before. */
const KEPT_PICTURES = 3

export interface PictureFlowDeps {
  readonly blobs: BlobStore
  readonly bus: Bus
  readonly live: LiveStore
  readonly log: Log
}

export type PictureFlow = ReturnType<typeof pictureFlow>

/** Pictures with boxes: the one that is shown live, and those of alerts, which are kept with the print. */
export function pictureFlow({ blobs, bus, live, log }: PictureFlowDeps) {
  const keysOf = new Map<number, string[]>()

  /** Shows the tagged picture in place of the raw one, unless a newer picture came meanwhile. */
  async function show(frame: Frame, tagged: Uint8Array): Promise<void> {
    const { printer_id, raw_key, frame_at } = frame
    const key = `printers/${printer_id}/tagged/${frame_at}.jpg`
    await makeRoom(printer_id, key)
    await blobs.put(key, tagged, 'image/jpeg')
    const pic: LivePic = { key, raw_key, ts: frame_at / 1000 }
    if (!(await live.put(picKey(printer_id), pic, { ts: frame_at, ttlMs: PIC_TTL_MS }))) return
    const notice: PrinterNotice = { type: 'pic', pic }
    bus.publish(printerSubject(printer_id), notice)
  }

  /** Removes the oldest tagged picture. Those of an earlier run of the server are not known by name and go all at once. */
  async function makeRoom(printerId: number, key: string): Promise<void> {
    const keys = keysOf.get(printerId)
    if (keys === undefined) {
      keysOf.set(printerId, [key])
      return blobs.removeAll(`printers/${printerId}/tagged/`)
    }
    keys.push(key)
    const oldest = keys.length > KEPT_PICTURES ? keys.shift() : undefined
    if (oldest !== undefined) await blobs.remove(oldest)
  }

  /** Keeps the picture of an alert with its print; null when it cannot be kept, for the alert matters more than its picture. */
  async function keepForAlert(printId: number, frame: Frame, tagged: Uint8Array | null): Promise<string | null> {
    const picture = tagged ?? frame.bytes
    const type = pictureType(picture) ?? 'image/jpeg'
    const key = `prints/${printId}/alerts/${frame.frame_at}.${PICTURE_ENDINGS[type]}`
    try {
      await blobs.put(key, picture, type)
      return key
    } catch (err) {
      log.error({ err, printer_id: frame.printer_id, print_id: printId }, 'the picture of an alert could not be kept')
      return null
    }
  }

  return { show, keepForAlert }
}
