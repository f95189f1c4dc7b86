import { type Detector, DetectorError, type Findings } from './detector.js'
import { type Frame, type FrameTimes, frameTimes } from './frame.js'
import { type FrameFlowDeps, frameFlow } from './frame-flow.js'
import { LatestQueue } from './latest-queue.js'
import { PrinterTurns } from './printer-turns.js'
import type { SmoothingState } from './smoothing-state.js'

export interface DetectionFlowDeps extends FrameFlowDeps {
  readonly detector: Detector
  /** Hears how long each analysed frame took. */
  readonly observe?: ((times: FrameTimes) => void) | undefined
}

export type DetectionFlow = ReturnType<typeof detectionFlow>

/** Pictures that are with the detector at a time: while one is inferred, the next is decoded. */
const MAX_LOOKING = 2

interface OfferedFrame extends Frame {
  readonly offeredAt: number
}

/**
 * From snapshots to gauge, alert and pause. Each printer's frames are handled one after another; printers do not wait for each
 * other, save for their turn at the detector.
 */
export function detectionFlow(deps: DetectionFlowDeps) {
  const { detector, log } = deps
  const frames = frameFlow(deps)
  const queue = new LatestQueue<OfferedFrame>()
  const turns = new PrinterTurns()
  /** Printers of which a frame is under way. */
  const busy = new Set<number>()
  /** Printers whose last picture could not be read. */
  const unreadable = new Set<number>()
  let looking = 0
  let isClosed = false

  /** Takes a snapshot. Returns at once; under load only the newest of each printer is analysed. */
  function offer(frame: Frame): void {
    if (isClosed || !detector.ready()) return
    queue.offer(frame.printer_id, frame.frame_at, { ...frame, offeredAt: performance.now() })
    pump()
  }

  /** Takes as many frames from the queue as there is room for. */
  function pump(): void {
    const frame = isClosed || looking >= MAX_LOOKING ? undefined : queue.take((printerId) => busy.has(printerId))
    if (frame === undefined) return
    void analyse(frame)
    pump()
  }

  /** One frame's whole way. Never rejects. */
  async function analyse(frame: OfferedFrame): Promise<void> {
    const { printer_id, offeredAt } = frame
    const takenAt = performance.now()
    busy.add(printer_id)
    try {
      const findings = await look(frame)
      if (findings === undefined || isClosed) return
      await turns.run(printer_id, () => frames.conclude(frame, findings))
      deps.observe?.(frameTimes(offeredAt, takenAt, performance.now(), findings.times))
    } catch (err) {
      if (!isClosed) log.error({ err, printer_id }, 'a snapshot could not be analysed')
    } finally {
      busy.delete(printer_id)
      pump()
    }
  }

  /** Asks the detector, if the frame is of a print that is watched. When it has answered, the next printer has its turn. */
  async function look(frame: Frame): Promise<Findings | undefined> {
    looking++
    try {
      if (!(await frames.isWatched(frame))) return undefined
      const findings = await detector.detect(frame.bytes)
      unreadable.delete(frame.printer_id)
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
  function skip({ printer_id }: Frame, err: DetectorError): void {
    const isNews = err.code === 'invalid_image' && !unreadable.has(printer_id)
    log[isNews ? 'warn' : 'debug']({ err, printer_id }, 'a snapshot was left out')
    if (err.code === 'invalid_image') unreadable.add(printer_id)
  }

  /**
   * Looks at a picture that an app brings itself. Undefined when nothing is being printed.
   * @throws {DetectorError}
   */
  async function predict(
    printerId: number,
    picture: Uint8Array,
  ): Promise<{ findings: Findings; state: SmoothingState } | undefined> {
    if (isClosed || !detector.ready()) throw new DetectorError('unavailable', 'Failure detection is not available.')
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
  }

  return {
    offer,
    predict,
    /** Whether pictures can be analysed now. */
    ready: () => detector.ready(),
    /** To be told when a print has begun or ended. */
    reset: (printerId: number) => later(printerId, frames.reset),
    /** To be told when a print goes on, and when the user has answered an alert. */
    warmUp: (printerId: number) => later(printerId, frames.warmUp),
    /** How many frames gave way to newer ones. */
    dropped: () => queue.dropped,
    close,
  }
}
