import { type CameraSettings, DEFAULT_CAMERA_SETTINGS, type Detection } from '@printwarden/protocol'
import {
  type CalibrationExample,
  calibrated,
  offsetOf,
} from '../../packages/server/src/detection/teaching/calibration.js'
import { lookOf, wantsTiles } from '../../packages/server/src/detection/cameras/camera-settings.js'
import {
  learnFrom,
  learnFromAnswer,
  takeReference,
  weigh,
} from '../../packages/server/src/detection/context/context.js'
import type { Findings } from '../../packages/server/src/detection/detector.js'
import { type Learned, NOTHING_LEARNED } from '../../packages/server/src/detection/context/learned.js'
import { cellOf, emptyMap } from '../../packages/server/src/detection/context/score-map.js'
import type { Level } from '../../packages/server/src/detection/smoothing/smoothing-state.js'
import type { Marks, TimelineFrame } from './timeline.js'

// What the server knows of one camera besides its smoothing, by the server's own functions: how its pictures are looked at, what was
// learned of them, and the user's answers.

/** How a camera is set. */
export interface CameraParts {
  /** Its settings, but for those of {@link NO_CONTEXT}. */
  readonly settings: Partial<CameraSettings>
  /** The user has marked the bed, or painted over what confuses; only where a timeline says where that is. */
  readonly marked?: 'bed' | 'regions'
  /** The user's answers move the camera's scale. */
  readonly calibration: boolean
}

/** A camera of which nothing is used. */
export const NO_CONTEXT: CameraSettings = {
  ...DEFAULT_CAMERA_SETTINGS,
  tiles: 'off',
  baseline_enabled: false,
  prototypes_enabled: false,
  clean_bed_enabled: false,
}

/** The print that a frame is of. */
export interface CameraPrint {
  readonly id: number
  readonly began: number
}

const SIZE = [640, 480] as const

/** Findings as a detector would give them. The map has only the boxes that are kept: of the others no score is known. */
function findingsOf({ score, boxes }: TimelineFrame): Findings & { readonly map: Float32Array } {
  const detections = boxes.map(([confidence, ...box]): Detection => ['failure', confidence, box])
  const map = emptyMap()
  for (const detection of detections) {
    const cell = cellOf(detection, SIZE)
    map[cell] = Math.max(map[cell] ?? 0, detection[1])
  }
  const times = { decodeMs: 0, inferenceMs: 0, drawMs: 0 }
  return { score, detections, map, size: SIZE, model: 'replayed', tagged: null, times }
}

function settingsOf({ settings, marked }: CameraParts, marks: Marks | undefined): CameraSettings {
  return {
    ...NO_CONTEXT,
    ...settings,
    ...(marked === 'bed' && marks !== undefined ? { bed_crop: marks.crop } : {}),
    ...(marked === 'regions' && marks !== undefined ? { ignore_regions: [...marks.regions] } : {}),
  }
}

interface Seen {
  readonly findings: Findings
  /** Before calibration. */
  readonly score: number
}

/** One camera over all prints of a timeline. */
export function camera(parts: CameraParts, marks?: Marks) {
  const settings = settingsOf(parts, marks)
  const learns = settings.baseline_enabled || settings.prototypes_enabled
  const examples: CalibrationExample[] = []
  let learned: Learned = NOTHING_LEARNED
  let offset = 0
  let count = 0
  /** The frame that looked worst since the last answer. */
  let suspect: Seen | undefined
  let last: Seen | undefined

  /** The frame as it counts on this camera. */
  function judge(frame: TimelineFrame, { id, began }: CameraPrint): TimelineFrame {
    const options = lookOf(settings, wantsTiles(settings, last?.score, count++))
    const findings = frame.look?.(options) ?? findingsOf(frame)
    const reference = { print_id: id, taken_at: began + frame.at, started_at: began }
    learned = takeReference(learned, findings, settings, reference)
    const weighed = weigh(findings, settings, learned, id, began)
    last = { findings, score: weighed.score }
    if (suspect === undefined || weighed.score > suspect.score) suspect = last
    const boxes = weighed.detections.map(([, confidence, box]) => [calibrated(confidence, offset), ...box] as const)
    const share = frame.score > 0 ? weighed.score / frame.score : 1
    return { at: frame.at, score: calibrated(weighed.score, offset), sum: frame.sum * share, boxes }
  }

  /** After the frame was decided about. */
  function learn(level: Level, isAlertStanding: boolean, sinceMs: number): void {
    if (last === undefined || !learns) return
    const isFine = level === 'fine' && !isAlertStanding
    learned = learnFrom(learned, last.findings, { score: calibrated(last.score, offset), isFine, sinceMs })
  }

  /** The user says that what was alerted about is no failure. */
  function notFailed(): void {
    if (suspect === undefined) return
    if (learns) learned = learnFromAnswer(learned, suspect.findings, 'NOT_FAILED')
    if (parts.calibration) {
      examples.push({ score: suspect.score, answer: 'NOT_FAILED' })
      offset = offsetOf(examples)
    }
    suspect = undefined
  }

  return { judge, learn, notFailed }
}

export type Camera = ReturnType<typeof camera>
