import type { BlobStore, Bus, LiveStore, Log } from '../ports.js'
import { cameraPicKey, type LivePic, PIC_TTL_MS, picKey } from '../printers/live-keys.js'
import { type PrinterNotice, printerSubject } from '../printers/notices.js'
import type { Frame } from './frame.js'
import { PICTURE_ENDINGS, pictureType } from './picture-type.js'

/** How many tagged pictures of a camera stay: a client may still be fetching the one before. */
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
  const keysOf = new Map<string, string[]>()

  /** Shows the tagged picture in place of the raw one, unless a newer picture came meanwhile. */
  async function show(frame: Frame, tagged: Uint8Array): Promise<void> {
    const { printer_id, camera, raw_key, frame_at } = frame
    const folder = camera.is_primary === 1 ? 'tagged' : `camera-tagged/${camera.id}`
    const prefix = `printers/${printer_id}/${folder}/`
    const key = `${prefix}${frame_at}.jpg`
    await makeRoom(prefix, key)
    await blobs.put(key, tagged, 'image/jpeg')
    const pic: LivePic = { key, raw_key, ts: frame_at / 1000 }
    const liveKey = camera.is_primary === 1 ? picKey(printer_id) : cameraPicKey(camera.id)
    if (!(await live.put(liveKey, pic, { ts: frame_at, ttlMs: PIC_TTL_MS })) || camera.is_primary === 0) return
    const notice: PrinterNotice = { type: 'pic', pic }
    bus.publish(printerSubject(printer_id), notice)
  }

  /** Removes the oldest tagged picture. Those of an earlier run of the server are not known by name and go all at once. */
  async function makeRoom(prefix: string, key: string): Promise<void> {
    const keys = keysOf.get(prefix)
    if (keys === undefined) {
      keysOf.set(prefix, [key])
      return blobs.removeAll(prefix)
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
