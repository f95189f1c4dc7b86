import { type CameraSettings, DEFAULT_CAMERA_SETTINGS, type Detection } from '@printwarden/protocol'
import {
  type CalibrationExample,
  calibrated,
  offsetOf,
} from '../../packages/server/src/detection/teaching/calibration.js'
import { learnFrom, learnFromAnswer, weigh } from '../../packages/server/src/detection/context/context.js'
import type { Findings } from '../../packages/server/src/detection/detector.js'
import { type Learned, NOTHING_LEARNED } from '../../packages/server/src/detection/context/learned.js'
import { cellOf, emptyMap } from '../../packages/server/src/detection/context/score-map.js'
import type { Level } from '../../packages/server/src/detection/smoothing/smoothing-state.js'
import type { TimelineFrame } from './timeline.js'

// What the server knows of one camera besides its smoothing, by the server's own functions: the score map of its good frames, and
// the user's answers.

/** Which of it is used. */
export interface CameraParts {
  /** The score map of good frames is learned and subtracted. */
  readonly baseline: boolean
  /** The user's answers move the camera's scale. */
  readonly calibration: boolean
}

const SIZE = [640, 480] as const
const PRINT_ID = 1

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

/** One camera over all prints of a timeline. */
export function camera(parts: CameraParts) {
  const settings: CameraSettings = {
    ...DEFAULT_CAMERA_SETTINGS,
    baseline_enabled: parts.baseline,
    clean_bed_enabled: false,
  }
  const examples: CalibrationExample[] = []
  let learned: Learned = NOTHING_LEARNED
  let offset = 0
  /** The frame that looked worst since the last answer, and its score before calibration. */
  let suspect: { readonly findings: Findings; readonly score: number } | undefined
  let last: { readonly findings: Findings; readonly score: number } | undefined

  /** The frame as it counts on this camera. */
  function judge(frame: TimelineFrame): TimelineFrame {
    const findings = findingsOf(frame)
    const weighed = parts.baseline ? weigh(findings, settings, learned, PRINT_ID) : findings
    last = { findings, score: weighed.score }
    if (suspect === undefined || weighed.score > suspect.score) suspect = last
    const boxes = weighed.detections.map(([, confidence, box]) => [calibrated(confidence, offset), ...box] as const)
    const share = frame.score > 0 ? weighed.score / frame.score : 1
    return { at: frame.at, score: calibrated(weighed.score, offset), sum: frame.sum * share, boxes }
  }

  /** After the frame was decided about. */
  function learn(level: Level, isAlertStanding: boolean, sinceMs: number): void {
    if (last === undefined || !parts.baseline) return
    const isFine = level === 'fine' && !isAlertStanding
    learned = learnFrom(learned, last.findings, { score: last.score, isFine, sinceMs })
  }

  /** The user says that what was alerted about is no failure. */
  function notFailed(): void {
    if (suspect === undefined) return
    if (parts.baseline) learned = learnFromAnswer(learned, suspect.findings, 'NOT_FAILED')
    if (parts.calibration) {
      examples.push({ score: suspect.score, answer: 'NOT_FAILED' })
      offset = offsetOf(examples)
    }
    suspect = undefined
  }

  return { judge, learn, notFailed }
}

export type Camera = ReturnType<typeof camera>
