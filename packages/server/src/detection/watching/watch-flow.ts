import { PrinterStatus } from '@printwarden/protocol'
import type { Bus, Clock, Database, LiveStore, Log } from '../../ports.js'
import { SMOOTHING_TTL_MS, statusKey, watchKey } from '../../printers/live-keys.js'
import { type PrinterNotice, printerSubject } from '../../printers/notices.js'
import {
  CameraWatch,
  newCameraWatch,
  readWatch,
  type SelfTestState,
  type WatchState,
  withCameraWatch,
} from '../../printers/watch-state.js'
import { judgePicture } from './camera-quality.js'
import { type CameraRow, listCameras } from '../cameras/cameras-store.js'
import type { Findings } from '../detector.js'
import type { Frame } from '../frame.js'
import { isMoving } from './moving.js'
import { TurnsById } from '../../turns-by-id.js'
import type { Thumbnail } from './thumbnail.js'
import { setCameraWatch } from './watch-store.js'

export interface WatchFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly live: LiveStore
  readonly clock: Clock
  readonly log: Log
}

/** A camera's row, as far as the watching goes. */
export type WatchedCamera = Pick<CameraRow, 'id' | 'printer_id' | 'name' | 'is_primary' | 'detection_enabled'>

/** What is asked of a status here. It was checked when it came: to check all of it again for each picture would cost more than this. */
const SeenStatus = PrinterStatus.pick({ state: true, temperatures: true })

/** How much a server that was killed may forget. */
const CHECKPOINT_EVERY_MS = 30_000
/** A picture that is only seen, not analysed, is told no more often than this. */
const TELL_SEEN_EVERY_MS = 5000

export type WatchFlow = ReturnType<typeof watchFlow>

/** What is known of each camera: kept in the live store, told to subscribers, and now and then written to the camera's row. */
export function watchFlow({ database, bus, live, clock, log }: WatchFlowDeps) {
  const turns = new TurnsById()
  /** Of each camera the last picture in which something had changed. */
  const anchors = new Map<number, Thumbnail>()
  const savedAt = new Map<number, number>()
  const unsaved = new Map<number, CameraWatch>()
  const toldAt = new Map<number, number>()

  /** What is known of a printer's cameras; after a restart, what their rows have. */
  async function read(printerId: number): Promise<WatchState | null> {
    const kept = readWatch(await live.get(watchKey(printerId)))
    if (kept !== null) return kept
    const rows = await listCameras(database.db, printerId)
    const cameras = rows.map((row) => ({ ...newCameraWatch(namesOf(row)), ...parsed(row.watch), ...namesOf(row) }))
    return cameras.length === 0 ? null : { cameras }
  }

  /** Changes what is known of one camera, in the printer's turn. */
  async function change(
    camera: WatchedCamera,
    make: (before: CameraWatch) => CameraWatch,
    isNews: (before: CameraWatch, after: CameraWatch) => boolean,
  ): Promise<CameraWatch> {
    return turns.run(camera.printer_id, async () => {
      const state = await read(camera.printer_id)
      const found = state?.cameras.find(({ camera_id }) => camera_id === camera.id)
      const before = { ...(found ?? newCameraWatch(namesOf(camera))), ...namesOf(camera) }
      const after = make(before)
      const watch = withCameraWatch(state, after)
      const now = clock.now()
      await live.put(watchKey(camera.printer_id), watch, { ts: now, ttlMs: SMOOTHING_TTL_MS })
      unsaved.set(camera.id, after)
      const isTold = isNews(before, after) || found === undefined
      if (isTold) tell(camera.printer_id, watch, now)
      await checkpoint(camera.id, found === undefined)
      return after
    })
  }

  function tell(printerId: number, watch: WatchState, now: number): void {
    toldAt.set(printerId, now)
    const notice: PrinterNotice = { type: 'watch', watch }
    bus.publish(printerSubject(printerId), notice)
  }

  /** Writes what is known to the camera's row if that is due. Never rejects: it is only needed after a restart. */
  async function checkpoint(cameraId: number, isDue: boolean): Promise<void> {
    const watch = unsaved.get(cameraId)
    const now = clock.now()
    if (watch === undefined || (!isDue && now - (savedAt.get(cameraId) ?? 0) < CHECKPOINT_EVERY_MS)) return
    unsaved.delete(cameraId)
    savedAt.set(cameraId, now)
    await setCameraWatch(database.db, cameraId, JSON.stringify(watch)).catch((err: unknown) => {
      log.warn({ err, camera_id: cameraId }, 'what is known of a camera could not be saved')
    })
  }

  /** A picture came. */
  async function seen(camera: WatchedCamera, picture: { taken_at: number; thumbnail: Thumbnail }): Promise<void> {
    const { taken_at: at, thumbnail } = picture
    const status = SeenStatus.safeParse(await live.get(statusKey(camera.printer_id))).data ?? null
    const isPrinting = status?.state.flags.printing === true
    const after = await change(
      camera,
      (before) => {
        const anchor = anchors.get(camera.id) ?? null
        const judged = judgePicture(before.quality, { at, thumbnail, anchor, isMoving: isMoving(status) })
        if (judged.isAnchor) anchors.set(camera.id, thumbnail)
        const frame_at = Math.max(before.frame_at ?? 0, at)
        return { ...before, frame_at, excused_at: isPrinting ? before.excused_at : at, quality: judged.state }
      },
      (before, { quality }) =>
        before.quality.problem !== quality.problem ||
        clock.now() - (toldAt.get(camera.printer_id) ?? 0) >= TELL_SEEN_EVERY_MS,
    )
    if (after.quality.problem !== null && after.quality.bad_frames <= 3) {
      log.debug(
        { printer_id: camera.printer_id, camera: camera.name, problem: after.quality.problem },
        'a camera cannot see',
      )
    }
  }

  /** A frame was analysed. */
  async function analysed({ camera, frame_at }: Frame, printId: number, { score, model }: Findings): Promise<void> {
    await change(
      camera,
      (before) => ({
        ...before,
        frame_at: Math.max(before.frame_at ?? 0, frame_at),
        analysed_at: Math.max(before.analysed_at ?? 0, frame_at),
        score,
        model,
        print_id: printId,
        frames: before.print_id === printId ? before.frames + 1 : 1,
      }),
      () => true,
    )
  }

  /** A self-test has ended. */
  async function selfTested(camera: WatchedCamera, self_test: SelfTestState): Promise<void> {
    await change(
      camera,
      (before) => ({ ...before, self_test }),
      () => true,
    )
    await checkpoint(camera.id, true)
  }

  /** Notes what was told of this camera. */
  async function noteTold(camera: WatchedCamera, told: string | null): Promise<void> {
    await change(
      camera,
      (before) => ({ ...before, told }),
      () => false,
    )
    await checkpoint(camera.id, true)
  }

  /** The camera's settings were changed. */
  async function settingsChanged(camera: WatchedCamera): Promise<void> {
    await change(
      camera,
      (before) => before,
      () => true,
    )
  }

  async function close(): Promise<void> {
    await turns.ended()
    for (const cameraId of unsaved.keys()) await checkpoint(cameraId, true)
  }

  return { read, seen, analysed, selfTested, noteTold, settingsChanged, close }
}

function namesOf({ id, name, is_primary, detection_enabled }: WatchedCamera) {
  return { camera_id: id, name, is_primary: is_primary === 1, detection_enabled: detection_enabled === 1 }
}

function parsed(text: string | null): Partial<CameraWatch> {
  try {
    return text === null ? {} : (CameraWatch.safeParse(JSON.parse(text)).data ?? {})
  } catch {
    return {}
  }
}
