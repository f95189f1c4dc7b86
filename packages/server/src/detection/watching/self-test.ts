import type { CameraSettings } from '@printwarden/protocol'
import type { CameraWatch } from '../../printers/watch-state.js'
import { weigh } from '../context/context.js'
import { NOTHING_LEARNED } from '../context/learned.js'
import type { Findings } from '../detector.js'

/** A picture of a plain failure must look at least this much like one. */
export const SELF_TEST_THRESHOLD = 0.5

/** Why a self-test fails although the detector answers, and what to do about it. */
export const SELF_TEST_ERRORS = {
  not_found: 'The failure in the test picture was not found.',
  hidden:
    'The failure in the test picture was not found: your regions or your bed hide it wherever it is. Look at what this camera ignores.',
  never_alerts:
    'The failure in the test picture was found, but no alert would ever follow: the sensitivity is too low, or the answers about this camera have made it blind. Raise the sensitivity, or reset what your answers changed.',
} as const

export function isFound({ score }: Pick<Findings, 'score'>): boolean {
  return score >= SELF_TEST_THRESHOLD
}

/** The findings less those in ignored regions. What was learned of the camera is left out: it is about other pictures. */
export function withoutRegions(findings: Findings, settings: CameraSettings): Findings {
  const plain = { clean_bed_enabled: false, baseline_enabled: false, prototypes_enabled: false }
  const { score, detections } = weigh(findings, { ...settings, ...plain }, NOTHING_LEARNED, 0)
  return { ...findings, score, detections }
}

const DAY_MS = 24 * 3_600_000
/** After one that failed the next one comes sooner. */
const RETRY_MS = 5 * 60_000
/** Tests of a print's start are spread over this long, daily ones over an hour, so that a farm's do not come at once. */
const START_SPREAD_MS = 60_000
const DAY_SPREAD_MS = 3_600_000
/** A camera that has sent nothing for so long is not in use. */
const IN_USE_MS = DAY_MS

/** The share, 0 to 1, of a spread that a camera waits: the same each time, different from camera to camera. */
export function jitterOf(cameraId: number): number {
  return ((cameraId * 2_654_435_761) % 4_294_967_296) / 4_294_967_296
}

/** Whether a camera's way to the detector is to be tested now: once a day, at the start of each print, and soon after a failed test. */
export function isSelfTestDue(camera: CameraWatch, startedAt: number | null, now: number): boolean {
  const { frame_at, self_test, camera_id } = camera
  if (frame_at === null || now - frame_at > IN_USE_MS) return false
  const jitter = jitterOf(camera_id)
  if (startedAt !== null && (self_test === null || self_test.at < startedAt)) {
    if (now >= startedAt + jitter * START_SPREAD_MS) return true
  }
  if (self_test === null) return now % DAY_SPREAD_MS >= jitter * DAY_SPREAD_MS
  return now >= self_test.at + (self_test.passed ? DAY_MS + jitter * DAY_SPREAD_MS : RETRY_MS)
}
