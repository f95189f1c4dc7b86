import type { CameraRow } from './cameras/cameras-store.js'
import { contextFlow } from './context/context-flow.js'
import type { LearnedAnswer } from './context/correct-answer.js'
import { idleBedFlow, type IdleFrame } from './context/idle-bed-flow.js'
import { type Detector, DetectorError, type Findings, GaveWayError } from './detector.js'
import { type Frame, type FrameTimes, frameTimes } from './frame.js'
import { type FrameFlowDeps, frameFlow } from './frame-flow.js'
import type { LookOptions } from './cameras/look-options.js'
import { latestLooks } from './latest-looks-flow.js'
import type { LookEnd, Looks } from './looks.js'
import { TurnsById } from '../turns-by-id.js'
import type { SmoothingState } from './smoothing/smoothing-state.js'
import { watchFlow } from './watching/watch-flow.js'

export interface DetectionFlowDeps extends FrameFlowDeps {
  /** Whether another server decides about this printer. Nobody else does unless stated. */
  readonly isElsewhere?: ((printerId: number) => boolean) | undefined
  readonly detector: Detector
  /** Whoever looks at pictures in turn, unless it is the detector of this process. */
  readonly looks?: Looks | undefined
  /** Hears how long each analysed frame took. */
  readonly observe?: ((times: FrameTimes) => void) | undefined
  /** Hears what became of each frame that was offered. */
  readonly count?: ((outcome: FrameOutcome) => void) | undefined
}

/**
 * What became of a frame: `dropped` gave way to a newer one of the same camera, `unwatched` is of a print that is not watched (any more),
 * `unreadable` is no picture, `failed` met a detector that failed, `unavailable` one that was not there.
 */
export const FRAME_OUTCOMES = ['analysed', 'dropped', 'unwatched', 'unreadable', 'failed', 'unavailable'] as const
export type FrameOutcome = (typeof FRAME_OUTCOMES)[number]

export type DetectionFlow = ReturnType<typeof detectionFlow>

/** A test picture that gave way to another one. */
const TOO_BUSY = 'Other pictures were more urgent than this test.'

/**
 * From snapshots to gauge, alert and pause. Each camera's frames are handled one after another, and what follows from them in
 * the printer's turn; printers do not wait for each other, save for their turn at the detector.
 */
export function detectionFlow(deps: DetectionFlowDeps) {
  const { clock, detector, log } = deps
  const looks = deps.looks ?? latestLooks(detector)
  const count = deps.count ?? (() => {})
  const contexts = contextFlow({ ...deps, isElsewhere: deps.isElsewhere ?? (() => false) })
  const watch = watchFlow(deps)
  const frames = frameFlow({ ...deps, contexts, watch })
  const idleBeds = idleBedFlow({ ...deps, contexts, watch, glance })
  const turns = new TurnsById()
  /** Cameras whose last picture could not be read. */
  const unreadable = new Set<number>()
  let dropped = 0
  let isClosed = false

  /** Takes a snapshot. Returns at once; under load only the newest of each camera is analysed. */
  function offer(frame: Frame): void {
    if (isClosed) return
    if (!detector.ready()) return count('unavailable')
    const offeredAt = performance.now()
    looks.offer({
      ...{ key: frame.camera.id, group: frame.printer_id, at: frame.frame_at },
      ask: async () =>
        (await frames.isWatched(frame)) ? { picture: frame.bytes, options: contexts.look(frame.camera) } : undefined,
      ended: (end) => follow(frame, end, offeredAt),
    })
  }

  /** What comes of a frame's look. Never rejects. */
  async function follow(frame: Frame, end: LookEnd, offeredAt: number): Promise<void> {
    if (isClosed) return
    switch (end.type) {
      case 'found':
        unreadable.delete(frame.camera.id)
        return conclude(frame, end, offeredAt)
      case 'dropped':
        dropped++
        return count('dropped')
      case 'unwanted':
        return count('unwatched')
      case 'failed':
        return end.reason instanceof DetectorError ? skip(frame, end.reason) : fail(frame, end.reason)
    }
  }

  async function conclude(
    frame: Frame,
    { findings, takenAt }: Extract<LookEnd, { type: 'found' }>,
    offeredAt: number,
  ): Promise<void> {
    try {
      await turns.run(frame.printer_id, () => frames.conclude(frame, findings))
      count('analysed')
      deps.observe?.(frameTimes(offeredAt, takenAt, performance.now(), findings.times))
    } catch (err) {
      fail(frame, err)
    }
  }

  function fail({ printer_id }: Frame, err: unknown): void {
    count('failed')
    if (!isClosed) log.error({ err, printer_id }, 'a snapshot could not be analysed')
  }

  /** A frame that the detector did not look at is left out. That a camera sends garbage is said once. */
  function skip({ printer_id, camera }: Frame, err: DetectorError): void {
    count(err.code === 'invalid_image' ? 'unreadable' : 'failed')
    const isNews = err.code === 'invalid_image' && !unreadable.has(camera.id)
    log[isNews ? 'warn' : 'debug']({ err, printer_id, camera: camera.name }, 'a snapshot was left out')
    if (err.code === 'invalid_image') unreadable.add(camera.id)
  }

  /**
   * Looks at a test picture: it waits its turn like a camera's own pictures, and nothing follows from it.
   * @throws {DetectorError} and of these a {@link GaveWayError} when it was not its turn before that of others
   */
  async function test(cameraId: number, picture: Uint8Array, options?: LookOptions): Promise<Findings> {
    if (isClosed || !detector.ready()) throw unavailable()
    return new Promise((resolve, reject) => {
      looks.offer({
        // Cameras' own pictures have positive keys, so a test never takes the place of one.
        ...{ key: -cameraId, group: -cameraId, at: clock.now() },
        ask: async () => ({ picture, options }),
        ended: async (end) => {
          if (end.type === 'found') resolve(end.findings)
          else reject(end.type === 'failed' ? end.reason : new GaveWayError(TOO_BUSY))
        },
      })
    })
  }

  /** Looks at a picture when the detector has nothing else to do; undefined when it has. */
  async function glance(picture: Uint8Array, options: LookOptions): Promise<Findings | undefined> {
    return isClosed || !detector.ready() ? undefined : looks.glance({ picture, options })
  }

  const unavailable = (): DetectorError =>
    new DetectorError('unavailable', detector.problem?.() ?? 'Failure detection is not available.')

  /**
   * Looks at a picture that an app brings itself. Undefined when nothing is being printed.
   * @throws {DetectorError}
   */
  async function predict(
    printerId: number,
    picture: Uint8Array,
  ): Promise<{ findings: Findings; state: SmoothingState } | undefined> {
    if (isClosed || !detector.ready()) throw unavailable()
    const findings = await detector.detect(picture)
    const state = await turns.run(printerId, () => frames.measure(printerId, findings))
    return state === undefined ? undefined : { findings, state }
  }

  /** Runs in the printer's turn what nobody waits for. */
  function later(printerId: number, work: (printerId: number) => Promise<void>): void {
    if (isClosed) return
    void turns
      .run(printerId, () => work(printerId))
      .catch((err: unknown) => {
        log.error({ err, printer_id: printerId }, 'the detection state could not be changed')
      })
  }

  /** Takes no more frames, waits for conclusions under way, and writes what is not written yet. */
  async function close(): Promise<void> {
    isClosed = true
    looks.close()
    frames.hurry()
    await turns.ended()
    await frames.close()
    await watch.close()
  }

  return {
    offer,
    predict,
    test,
    /** Whether a camera that went on to see this would alert, by its printer's settings and what was learned of it. */
    wouldAlert: frames.wouldAlert,
    /** What is known of each camera. */
    watch,
    /** Whether pictures can be analysed now. */
    ready: () => detector.ready(),
    /** Whether no picture is being looked at, nor waits for it. */
    isIdle: () => looks.isIdle(),
    /** Why they cannot, for people; null when they can. */
    problem: () => detector.problem?.() ?? null,
    /** To be told when a camera's settings were changed. */
    cameraChanged: (camera: CameraRow) => {
      later(camera.printer_id, async () => {
        if (camera.detection_enabled === 0) await frames.leaveOut(camera)
        await watch.settingsChanged(camera)
      })
    },
    /** Takes a snapshot of a printer of which no print is known. */
    idle: (frame: IdleFrame): Promise<void> => idleBeds.take(frame),
    /** To be told when the answer about an alert is another one now, or none. */
    corrected: (printerId: number, alertId: number, answer: LearnedAnswer | null) =>
      later(printerId, () => contexts.correct(printerId, alertId, answer)),
    /** To be told when a print has begun or ended. */
    reset: (printerId: number) => later(printerId, frames.reset),
    /** To be told when a print goes on, and when the user has answered an alert. */
    warmUp: (printerId: number) => later(printerId, frames.warmUp),
    /** How many frames wait for their turn, and how long the oldest of them has waited. */
    waiting: () => looks.waiting(),
    /** How many frames gave way to newer ones. */
    dropped: () => dropped,
    /** What was learned of each camera. */
    contexts,
    close,
  }
}
