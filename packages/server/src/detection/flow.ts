import type { CameraRow } from './cameras/cameras-store.js'
import { contextFlow } from './context/context-flow.js'
import type { LearnedAnswer } from './context/correct-answer.js'
import { idleBedFlow, type IdleFrame } from './context/idle-bed-flow.js'
import { type Detector, DetectorError, type Findings } from './detector.js'
import { type Frame, type FrameTimes, frameTimes } from './frame.js'
import { type FrameFlowDeps, frameFlow } from './frame-flow.js'
import type { LookOptions } from './cameras/look-options.js'
import { LatestQueue } from './latest-queue.js'
import { PrinterTurns } from './printer-turns.js'
import type { SmoothingState } from './smoothing/smoothing-state.js'
import { watchFlow } from './watching/watch-flow.js'

export interface DetectionFlowDeps extends FrameFlowDeps {
  readonly detector: Detector
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

/** Pictures that are with the detector at a time, unless it says otherwise. */
const DEFAULT_LOOKING = 2

interface OfferedFrame extends Frame {
  readonly offeredAt: number
}

/** A test picture in a camera's turn: nobody's frame. */
interface OfferedTest {
  readonly cameraId: number
  readonly bytes: Uint8Array
  readonly options: LookOptions | undefined
  readonly offeredAt: number
  readonly answer: (findings: Findings) => void
  readonly refuse: (reason: unknown) => void
}

/**
 * From snapshots to gauge, alert and pause. Each camera's frames are handled one after another, and what follows from them in
 * the printer's turn; printers do not wait for each other, save for their turn at the detector.
 */
export function detectionFlow(deps: DetectionFlowDeps) {
  const { detector, log } = deps
  const maxLooking = detector.capacity ?? DEFAULT_LOOKING
  const count = deps.count ?? (() => {})
  const contexts = contextFlow(deps)
  const watch = watchFlow(deps)
  const frames = frameFlow({ ...deps, contexts, watch })
  const idleBeds = idleBedFlow({ ...deps, contexts, watch, glance })
  const queue = new LatestQueue<OfferedFrame | OfferedTest>()
  const turns = new PrinterTurns()
  /** Cameras of which a frame is under way. */
  const busy = new Set<number>()
  /** Cameras whose last picture could not be read. */
  const unreadable = new Set<number>()
  let looking = 0
  let isClosed = false

  /** Takes a snapshot. Returns at once; under load only the newest of each camera is analysed. */
  function offer(frame: Frame): void {
    if (isClosed) return
    if (!detector.ready()) return count('unavailable')
    const offered = { ...frame, offeredAt: performance.now() }
    if (queue.offer(frame.camera.id, frame.frame_at, offered, frame.printer_id)) count('dropped')
    pump()
  }

  /** Takes as many frames from the queue as there is room for. */
  function pump(): void {
    const frame = isClosed || looking >= maxLooking ? undefined : queue.take((cameraId) => busy.has(cameraId))
    if (frame === undefined) return
    void ('answer' in frame ? lookAtTest(frame) : analyse(frame))
    pump()
  }

  /**
   * Looks at a test picture: it waits its turn like a camera's own pictures, and nothing follows from it.
   * @throws {DetectorError}
   */
  async function test(cameraId: number, bytes: Uint8Array, options?: LookOptions): Promise<Findings> {
    if (isClosed || !detector.ready())
      throw new DetectorError('unavailable', detector.problem?.() ?? 'Failure detection is not available.')
    return new Promise((answer, refuse) => {
      // Cameras' own pictures have positive keys, so a test never takes the place of one.
      queue.offer(
        -cameraId,
        performance.now(),
        { cameraId, bytes, options, offeredAt: performance.now(), answer, refuse },
        -cameraId,
      )
      pump()
    })
  }

  /** Never rejects. */
  async function lookAtTest({ cameraId, bytes, options, answer, refuse }: OfferedTest): Promise<void> {
    looking++
    busy.add(-cameraId)
    await detector.detect(bytes, options).then(answer, refuse)
    busy.delete(-cameraId)
    looking--
    pump()
  }

  /** Looks at a picture when the detector has nothing else to do; undefined when it has. */
  async function glance(bytes: Uint8Array, options: LookOptions): Promise<Findings | undefined> {
    if (isClosed || looking > 0 || !detector.ready()) return undefined
    looking++
    try {
      return await detector.detect(bytes, options)
    } finally {
      looking--
      pump()
    }
  }

  /** One frame's whole way. Never rejects. */
  async function analyse(frame: OfferedFrame): Promise<void> {
    const { printer_id, camera, offeredAt } = frame
    const takenAt = performance.now()
    busy.add(camera.id)
    try {
      const findings = await look(frame)
      if (findings === undefined || isClosed) return
      await turns.run(printer_id, () => frames.conclude(frame, findings))
      count('analysed')
      deps.observe?.(frameTimes(offeredAt, takenAt, performance.now(), findings.times))
    } catch (err) {
      count('failed')
      if (!isClosed) log.error({ err, printer_id }, 'a snapshot could not be analysed')
    } finally {
      busy.delete(camera.id)
      pump()
    }
  }

  /** Asks the detector, if the frame is of a print that is watched. When it has answered, the next printer has its turn. */
  async function look(frame: Frame): Promise<Findings | undefined> {
    looking++
    try {
      if (!(await frames.isWatched(frame))) {
        count('unwatched')
        return undefined
      }
      const findings = await detector.detect(frame.bytes, contexts.look(frame.camera))
      unreadable.delete(frame.camera.id)
      return findings
    } catch (err) {
      if (!(err instanceof DetectorError)) throw err
      skip(frame, err)
      return undefined
    } finally {
      looking--
      pump()
    }
  }

  /** A frame that the detector did not look at is left out. That a camera sends garbage is said once. */
  function skip({ printer_id, camera }: Frame, err: DetectorError): void {
    count(err.code === 'invalid_image' ? 'unreadable' : 'failed')
    const isNews = err.code === 'invalid_image' && !unreadable.has(camera.id)
    log[isNews ? 'warn' : 'debug']({ err, printer_id, camera: camera.name }, 'a snapshot was left out')
    if (err.code === 'invalid_image') unreadable.add(camera.id)
  }

  /**
   * Looks at a picture that an app brings itself. Undefined when nothing is being printed.
   * @throws {DetectorError}
   */
  async function predict(
    printerId: number,
    picture: Uint8Array,
  ): Promise<{ findings: Findings; state: SmoothingState } | undefined> {
    if (isClosed || !detector.ready())
      throw new DetectorError('unavailable', detector.problem?.() ?? 'Failure detection is not available.')
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
    queue.clear()
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
    isIdle: () => looking === 0,
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
    waiting: (): { readonly frames: number; readonly oldestMs: number } => {
      const since = queue.values().map(({ offeredAt }) => offeredAt)
      return { frames: since.length, oldestMs: since.length === 0 ? 0 : performance.now() - Math.min(...since) }
    },
    /** How many frames gave way to newer ones. */
    dropped: () => queue.dropped,
    /** What was learned of each camera. */
    contexts,
    close,
  }
}
