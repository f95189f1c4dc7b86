import type { CameraSettings, Detection } from '@printwarden/protocol'
import type { PrintRow } from '../prints/store.js'
import type { PrinterRow } from '../printers/store.js'
import { answeredAt } from './alerts/alert.js'
import { calibrated } from './teaching/calibration.js'
import type { CameraRow } from './cameras/cameras-store.js'
import type { DetectionTimes, Findings } from './detector.js'
import type { FollowedPrint } from './smoothing/smoothing.js'
import type { Place, SmoothingFrame, SmoothingState } from './smoothing/smoothing-state.js'
import type { NewPrediction } from './store.js'

/** A snapshot that an agent uploaded. */
export interface Frame {
  readonly printer_id: number
  readonly user_id: number
  /** The camera that took it. */
  readonly camera: CameraRow
  /** The print that ran when it arrived; null when none was known. */
  readonly print_id: number | null
  /** Blob key of the picture as it arrived. */
  readonly raw_key: string
  /** When it was taken, in milliseconds by the server's clock. */
  readonly frame_at: number
  readonly bytes: Uint8Array
}

/** What a frame is judged with. */
export interface FrameContext {
  readonly printer: PrinterRow
  readonly print: PrintRow
}

/** How long the parts of a frame's way took, in milliseconds. */
export interface FrameTimes {
  /** From its arrival until its turn. */
  readonly queueMs: number
  readonly decodeMs: number
  readonly inferenceMs: number
  readonly drawMs: number
  /** Everything else: reading rows, smoothing, telling, and a pause if there was one. */
  readonly restMs: number
  readonly totalMs: number
}

/** The times of a frame that was offered, taken from the queue and concluded at these instants. */
export function frameTimes(offeredAt: number, takenAt: number, endedAt: number, times: DetectionTimes): FrameTimes {
  const { decodeMs, inferenceMs, drawMs } = times
  const queueMs = takenAt - offeredAt
  const totalMs = endedAt - offeredAt
  return {
    queueMs,
    decodeMs,
    inferenceMs,
    drawMs,
    restMs: totalMs - queueMs - decodeMs - inferenceMs - drawMs,
    totalMs,
  }
}

export function followedPrint(print: PrintRow): FollowedPrint {
  return { id: print.id, started_at: print.started_at, answered_at: answeredAt(print) }
}

export function smoothingFrame(
  { frame_at }: Pick<Frame, 'frame_at'>,
  findings: Pick<Findings, 'score' | 'detections'>,
  sensitivity: number,
  calibrationOffset = 0,
): SmoothingFrame {
  return {
    frame_at,
    score: findings.score,
    confidence_sum: findings.detections.reduce(
      (sum, [, confidence]) => sum + calibrated(confidence, calibrationOffset),
      0,
    ),
    sensitivity,
    places: placesOf(findings.detections, calibrationOffset),
  }
}

/** The frame without its places where they have no say on this camera. */
export function voting(
  frame: SmoothingFrame,
  { votes_enabled }: Pick<CameraSettings, 'votes_enabled'>,
): SmoothingFrame {
  if (votes_enabled) return frame
  const { frame_at, score, confidence_sum, sensitivity } = frame
  return { frame_at, score, confidence_sum, sensitivity }
}

/** Where the findings are, for decisions that look at places. */
export function placesOf(detections: readonly Detection[], calibrationOffset: number): Place[] {
  return detections.slice(0, KEPT_DETECTIONS).map(([, confidence, [x, y, width, height]]) => {
    return { confidence: calibrated(confidence, calibrationOffset), x, y, width, height }
  })
}

/** More findings than this in one frame tell nothing more. */
const KEPT_DETECTIONS = 50

/** Findings as they are kept: a confidence to four digits, a place to a tenth of a pixel. */
export function keptDetections(detections: readonly Detection[]): Detection[] {
  return detections
    .slice(0, KEPT_DETECTIONS)
    .map(([label, confidence, [x, y, width, height]]) => [
      label,
      Math.round(confidence * 1e4) / 1e4,
      [tenth(x), tenth(y), tenth(width), tenth(height)],
    ])
}

function tenth(pixels: number): number {
  return Math.round(pixels * 10) / 10
}

/** The row of an analysed frame. */
export function predictionRow(
  frame: Frame,
  { print, printer }: FrameContext,
  findings: Findings,
  state: SmoothingState,
  now: number,
): NewPrediction {
  return {
    print_id: print.id,
    printer_id: printer.id,
    frame_at: frame.frame_at,
    current_frame_num: state.current_frame_num,
    lifetime_frame_num: state.lifetime_frame_num,
    current_p: state.current_p,
    ewm_mean: state.ewm_mean,
    rolling_mean_short: state.rolling_mean_short,
    rolling_mean_long: state.rolling_mean_long,
    normalized_p: state.normalized_p,
    detections: JSON.stringify(keptDetections(findings.detections)),
    detector: findings.model,
    sensitivity: printer.detective_sensitivity,
    created_at: now,
    camera_id: frame.camera.is_primary === 1 ? null : frame.camera.id,
  }
}
