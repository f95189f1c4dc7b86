import type { BlobStore, Database, Log } from '../ports.js'
import type { SelfTestState } from '../printers/watch-state.js'
import { type CameraRow, listCameras } from './cameras/cameras-store.js'
import type { LearnedAnswer } from './context/correct-answer.js'
import type { DetectionFlow } from './flow.js'
import type { Frame } from './frame.js'
import { frameMessage, HomeMessage, type HomeMessageOnBus, seenMessage } from './home-message.js'
import type { Homes } from './homes.js'
import type { Thumbnail } from './watching/thumbnail.js'
import type { WatchedCamera } from './watching/watch-flow.js'

export interface HomeFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'get'>
  readonly log: Log
  readonly homes: Homes
  readonly detection: DetectionFlow
}

/** What whoever asked shows next, or tells as done. */
const WAITED_FOR: readonly HomeMessage['op'][] = ['forget', 'self_tested']

export type HomeFlow = ReturnType<typeof homeFlow>

/** A camera's picture that came, as far as the watching goes. */
interface SeenPicture {
  readonly taken_at: number
  readonly thumbnail: Thumbnail
}

/**
 * What is told to detection, taken to the printer's home: the same calls, wherever they are made. On a server that is alone nothing
 * travels. A printer without a home is looked after by whoever hears of it.
 */
export function homeFlow({ database, blobs, log, homes, detection }: HomeFlowDeps) {
  const { watch, contexts } = detection

  /** Does it here, unless the printer is at home elsewhere. Resolves when it is done, or on its way. */
  async function atHome(
    printerId: number,
    message: () => HomeMessageOnBus,
    here: () => void | Promise<void>,
  ): Promise<void> {
    if (homes.isElsewhere(printerId) && (await homes.send(printerId, message()))) return
    await here()
  }

  /** The same for what nobody waits for. On a server that is alone it is begun before this returns. */
  function later(printerId: number, message: () => HomeMessageOnBus, here: () => void): void {
    if (!homes.isElsewhere(printerId)) return here()
    atHome(printerId, message, here).catch((err: unknown) => {
      log.error({ err, printer_id: printerId }, 'the home of a printer could not be told')
    })
  }

  function offer(frame: Frame): void {
    later(
      frame.printer_id,
      () => frameMessage(frame),
      () => detection.offer(frame),
    )
  }

  function seen(camera: WatchedCamera, picture: SeenPicture): Promise<void> {
    const { taken_at, thumbnail } = picture
    return atHome(
      camera.printer_id,
      () => seenMessage(camera.id, taken_at, thumbnail),
      () => watch.seen(camera, picture),
    )
  }

  function selfTested(camera: WatchedCamera, self_test: SelfTestState): Promise<void> {
    return atHome(
      camera.printer_id,
      () => ({ op: 'self_tested', camera_id: camera.id, self_test }),
      () => watch.selfTested(camera, self_test),
    )
  }

  function forget(camera: Pick<CameraRow, 'id' | 'printer_id'>): Promise<void> {
    return atHome(
      camera.printer_id,
      () => ({ op: 'forget', camera_id: camera.id }),
      () => contexts.forget(camera.id),
    )
  }

  /**
   * Another node has something to say about a printer that is at home here. What its user waits for is waited for, and nothing else: pictures
   * are not held up.
   */
  function take(printerId: number, payload: unknown): void | Promise<void> {
    const message = HomeMessage.parse(payload)
    const done = carryOut(printerId, message)
    if (WAITED_FOR.includes(message.op)) return done
    done.catch((err: unknown) => {
      log.error({ err, printer_id: printerId }, 'what another node said about a printer could not be done')
    })
  }

  async function carryOut(printerId: number, message: HomeMessage): Promise<void> {
    switch (message.op) {
      case 'reset':
        return detection.reset(printerId)
      case 'warm_up':
        return detection.warmUp(printerId)
      case 'corrected':
        return detection.corrected(printerId, message.alert_id, message.answer)
      case 'forget':
        return contexts.forget(message.camera_id)
      case 'frame':
      case 'seen':
      case 'self_tested':
      case 'camera_changed':
        return carryOutFor(await cameraOf(printerId, message.camera_id), message)
    }
  }

  async function carryOutFor(
    camera: CameraRow | undefined,
    message: Extract<HomeMessage, { op: 'frame' | 'seen' | 'self_tested' | 'camera_changed' }>,
  ): Promise<void> {
    if (camera === undefined) return
    if (message.op === 'camera_changed') return detection.cameraChanged(camera)
    if (message.op === 'self_tested') return watch.selfTested(camera, message.self_test)
    if (message.op === 'seen') return watch.seen(camera, message)
    const { printer_id } = camera
    const { user_id, print_id, raw_key, frame_at } = message
    // Gone when a newer picture has taken its place meanwhile: that one comes by itself.
    const blob = await blobs.get(raw_key)
    if (blob === undefined) return
    detection.offer({ printer_id, user_id, camera, print_id, raw_key, frame_at, bytes: blob.bytes })
  }

  async function cameraOf(printerId: number, cameraId: number): Promise<CameraRow | undefined> {
    return (await listCameras(database.quick, printerId)).find(({ id }) => id === cameraId)
  }

  return {
    offer,
    seen,
    selfTested,
    forget,
    reset: (printerId: number) =>
      later(
        printerId,
        () => ({ op: 'reset' }),
        () => detection.reset(printerId),
      ),
    warmUp: (printerId: number) =>
      later(
        printerId,
        () => ({ op: 'warm_up' }),
        () => detection.warmUp(printerId),
      ),
    corrected: (printerId: number, alertId: number, answer: LearnedAnswer | null) =>
      later(
        printerId,
        () => ({ op: 'corrected', alert_id: alertId, answer }),
        () => detection.corrected(printerId, alertId, answer),
      ),
    cameraChanged: (camera: CameraRow) =>
      later(
        camera.printer_id,
        () => ({ op: 'camera_changed', camera_id: camera.id }),
        () => detection.cameraChanged(camera),
      ),
    /** The printer's agent is connected here; the returned function says that it is not any more. */
    settle(printerId: number): () => void {
      const moveOut = homes.settle(printerId, (message) => take(printerId, message))
      if (homes.isAlone) return moveOut
      void contexts.arrive(printerId)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        moveOut()
        void contexts.leave(printerId)
      }
    },
    isElsewhere: (printerId: number) => homes.isElsewhere(printerId),
  }
}
