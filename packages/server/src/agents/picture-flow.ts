import {
  type CameraRow,
  findOrAddCamera,
  findSeenCamera,
  MAX_CAMERAS,
  type SeenCamera,
} from '../detection/cameras/cameras-store.js'
import type { CheckedPicture, Picture } from '../detection/service/check-picture-flow.js'
import type { DetectionFlow } from '../detection/flow.js'
import type { WatchFlow } from '../detection/watching/watch-flow.js'
import { CLOCK_SKEW_MS } from '../clock-skew.js'
import { TurnsById } from '../turns-by-id.js'
import { ApiError } from '../errors.js'
import type { AgentCaller } from '../http/api.js'
import { findPrintByTs, findRunningPrint } from '../prints/store.js'
import type { BlobStore, Bus, Clock, Database, LiveStore, Secrets } from '../ports.js'
import { cameraPicKey, type LivePic, PIC_TTL_MS, picKey } from '../printers/live-keys.js'
import { readLivePic } from '../printers/live-view.js'
import { type PrinterNotice, printerSubject } from '../printers/notices.js'
import type { FramesFlow } from '../timelapse/frames-flow.js'
import { isRunning } from '../timelapse/reasons.js'
import { cameraPrefix, picturePath, picturePrefix, readKey, replacedKey } from './picture.js'

export interface PictureFlowDeps {
  readonly database: Database
  readonly blobs: BlobStore
  readonly bus: Bus
  readonly live: LiveStore
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'newToken'>
  readonly detection: Pick<DetectionFlow, 'offer' | 'idle'> & { readonly watch: Pick<WatchFlow, 'seen'> }
  readonly frames: Pick<FramesFlow, 'keep' | 'keepPast'>
  /**
   * A picture of the past was kept: the time-lapse of its print, if that has ended, is to wait for so many more, and no longer; undefined
   * leaves its wait as it is. False when it waits for none any more, so that nobody would ever take this one.
   */
  readonly awaitPics: (printId: number, picsToCome: number | undefined) => Promise<boolean>
}

/** A younger picture may be another node's that tells the live store of it in this moment. Nodes' clocks differ, and their names with them. */
const SWEPT_AFTER_MS = 60_000 + CLOCK_SKEW_MS

/** A picture that was looked at: it is what it says, and can be decoded. */
export interface Snapshot extends CheckedPicture {
  /** When it was taken, in milliseconds by the server's clock. */
  readonly taken_at: number
  /** Only to be looked at. */
  readonly viewing_boost: boolean
  /** The agent's name for it. */
  readonly frame_id?: string | undefined
}

/** A picture that the agent kept while it was offline. */
export interface PastFrame extends CheckedPicture {
  readonly taken_at: number
  readonly frame_id: string | undefined
  readonly current_print_ts: number
  /** How many more of this print the agent has. */
  readonly pics_to_come: number
}

/** What an agent says of the camera. */
export type CameraFields = Omit<SeenCamera, 'printer_id'>

export type PictureFlow = ReturnType<typeof pictureFlow>

/** Where the newest picture of a camera is kept: its place among the blobs, and its key in the live store. */
interface Place {
  readonly prefix: string
  readonly liveKey: string
}

function placeOf({ id, printer_id, is_primary }: CameraRow): Place {
  if (is_primary === 1) return { prefix: picturePrefix(printer_id), liveKey: picKey(printer_id) }
  return { prefix: cameraPrefix(printer_id, id), liveKey: cameraPicKey(id) }
}

/** When a picture was taken, by its name; NaN when that does not tell. */
const takenAt = (prefix: string, key: string): number => Number.parseInt(key.slice(prefix.length), 10)

/** Pictures that agents upload: kept, shown, and handed to detection. */
export function pictureFlow({
  database,
  blobs,
  bus,
  live,
  clock,
  secrets,
  detection,
  frames,
  awaitPics,
}: PictureFlowDeps) {
  const turns = new TurnsById()

  const newPath = (prefix: string, at: number, picture: Picture): string =>
    picturePath(prefix, `${at}-${secrets.newToken(4)}`, picture.type)

  /**
   * Makes the snapshot its camera's newest picture, unless a newer one is there. Those of one printer take turns.
   * @throws {ApiError} conflict when the printer has as many cameras as it may have
   */
  async function show({ printer_id, user_id }: AgentCaller, seen: CameraFields, snapshot: Snapshot): Promise<void> {
    const named = { printer_id, ...seen }
    // Every picture passes here, and nearly all are of a camera that is known.
    const camera =
      (await findSeenCamera(database.quick, named)) ?? (await findOrAddCamera(database.db, named, clock.now()))
    if (camera === undefined) throw new ApiError('conflict', `A printer has no more than ${MAX_CAMERAS} cameras.`)
    const place = placeOf(camera)
    const raw_key = newPath(place.prefix, snapshot.taken_at, snapshot)
    const isShown = await turns.run(printer_id, () => replace(camera, place, raw_key, snapshot))
    if (!isShown) return
    await detection.watch.seen(camera, snapshot)
    if (snapshot.viewing_boost) return
    const print = await findRunningPrint(database.quick, printer_id)
    const { bytes, type, taken_at: frame_at, frame_id } = snapshot
    if (print === undefined) {
      if (camera.detection_enabled === 1) void detection.idle({ camera, bytes, frame_at })
      return
    }
    if (camera.detection_enabled === 1) {
      detection.offer({ printer_id, user_id, camera, print_id: print.id, raw_key, frame_at, bytes })
    }
    if (camera.is_primary === 0) return
    await turns.run(printer_id, () =>
      frames.keep({ print_id: print.id, frame_at, frame_id, raw_key, type, size: bytes.length }),
    )
  }

  async function replace(
    camera: CameraRow,
    { prefix, liveKey }: Place,
    key: string,
    { bytes, type, taken_at }: Snapshot,
  ): Promise<boolean> {
    const previous = readLivePic(await live.get(liveKey))
    if (previous === undefined) await sweep(prefix)
    await blobs.putNew(key, bytes, type)
    const pic: LivePic = { key, raw_key: key, ts: taken_at / 1000 }
    if (!(await live.put(liveKey, pic, { ts: taken_at, ttlMs: PIC_TTL_MS }))) {
      await blobs.remove(key)
      return false
    }
    if (camera.is_primary === 1) {
      const notice: PrinterNotice = { type: 'pic', pic }
      bus.publish(printerSubject(camera.printer_id), notice)
    }
    if (previous !== undefined) await retire(liveKey, previous.raw_key, taken_at)
    return true
  }

  /** Removes pictures of an earlier run of the server, or from long ago, which are not known by name any more. */
  async function sweep(prefix: string): Promise<void> {
    const before = clock.now() - SWEPT_AFTER_MS
    const old = (await blobs.list(prefix)).filter(({ key }) => takenAt(prefix, key) < before)
    await Promise.all(old.map(({ key }) => blobs.remove(key)))
  }

  /** Keeps the picture that was replaced until the next one is: a client may be about to fetch it. */
  async function retire(liveKey: string, key: string, at: number): Promise<void> {
    const oldest = readKey(await live.get(replacedKey(liveKey)))
    if (oldest !== undefined) await blobs.remove(oldest)
    await live.put(replacedKey(liveKey), key, { ts: at, ttlMs: PIC_TTL_MS })
  }

  /** Keeps the picture of a printer event for as long as the printer is there. */
  async function keepForEvent(printerId: number, picture: Picture, at: number): Promise<string> {
    const key = newPath(`printers/${printerId}/events/`, at, picture)
    await blobs.putNew(key, picture.bytes, picture.type)
    return key
  }

  /**
   * Keeps a picture of the past for the time-lapse of its print. One that comes when that has been made already is thrown away, also if
   * another node made it while the picture was on its way to the blobs.
   * @throws {ApiError} not_found when the printer has no such print
   */
  async function keepPast(printerId: number, frame: PastFrame): Promise<void> {
    const print = await findPrintByTs(database.db, printerId, frame.current_print_ts)
    if (print === undefined) throw new ApiError('not_found')
    if (!isRunning(print) && print.timelapse_state !== 'waiting') return
    const { bytes, type, taken_at: frame_at, frame_id } = frame
    const past = { print_id: print.id, frame_at, frame_id, bytes, type }
    const key = await turns.run(printerId, () => frames.keepPast(past))
    const isAwaited = await awaitPics(print.id, isRunning(print) ? undefined : frame.pics_to_come)
    if (!isAwaited && key !== undefined) await blobs.remove(key)
  }

  return { show, keepForEvent, keepPast }
}
