import { z } from 'zod'

/** Why a camera that sends pictures cannot see. */
export const CameraProblem = z.enum([
  'camera_dark',
  'camera_covered',
  'camera_overexposed',
  'camera_frozen',
  'camera_blurred',
])
export type CameraProblem = z.infer<typeof CameraProblem>

const instant = z.number().nullable()

/** What a camera's pictures were like lately: `detection/watching/camera-quality.ts`. Instants in milliseconds. */
export const QualityState = z.object({
  /** What is told. */
  problem: CameraProblem.nullable(),
  /** Since when its pictures have been bad without a good one in between, and how many there were; the same for good ones. */
  bad_since: instant,
  bad_frames: z.int(),
  good_since: instant,
  good_frames: z.int(),
  /** How sharp its pictures usually are; null before the first one. */
  focus_norm: z.number().nullable(),
  /** How much time the norm has learned from, in milliseconds. */
  focus_ms: z.number(),
  judged_at: instant,
  /** Since when nothing has changed in them while the printer moved. */
  still_since: instant,
  still_frames: z.int(),
  /** The most that those pictures differed, as a mean over all pixels, of 255. */
  still_mean: z.number().default(0),
})
export type QualityState = z.infer<typeof QualityState>

/** The last self-test of a camera's way to the detector. */
export const SelfTestState = z.object({
  at: z.number(),
  passed: z.boolean(),
  score: z.number().nullable(),
  threshold: z.number(),
  took_ms: z.number(),
  model: z.string().nullable(),
  error: z.string().nullable(),
})
export type SelfTestState = z.infer<typeof SelfTestState>

/** What is known of one camera: its newest picture, the newest analysis, and whether it can see. */
export const CameraWatch = z.object({
  camera_id: z.int(),
  name: z.string(),
  is_primary: z.boolean(),
  detection_enabled: z.boolean(),
  frame_at: instant,
  /** When its last picture came that was not to be analysed, since nothing was printed. */
  excused_at: instant,
  analysed_at: instant,
  score: z.number().nullable(),
  model: z.string().nullable(),
  /** The print that `frames` counts for. */
  print_id: z.number().nullable(),
  frames: z.int(),
  quality: QualityState,
  self_test: SelfTestState.nullable(),
  /** The code that was told for this camera not watching the print while another one does; null when it does. */
  told: z.string().nullable(),
})
export type CameraWatch = z.infer<typeof CameraWatch>

/** All cameras of a printer, the primary one first: plain JSON in the live store, and by camera in the database. */
export const WatchState = z.object({ cameras: z.array(CameraWatch) })
export type WatchState = z.infer<typeof WatchState>

/** A camera of which nothing is known yet. */
export const NEW_QUALITY: QualityState = {
  problem: null,
  bad_since: null,
  bad_frames: 0,
  good_since: null,
  good_frames: 0,
  focus_norm: null,
  focus_ms: 0,
  judged_at: null,
  still_since: null,
  still_frames: 0,
  still_mean: 0,
}

/** A camera that has just been met. */
export function newCameraWatch(
  camera: Pick<CameraWatch, 'camera_id' | 'name' | 'is_primary' | 'detection_enabled'>,
): CameraWatch {
  const nothing = { frame_at: null, excused_at: null, analysed_at: null, score: null, model: null, print_id: null }
  return { ...camera, ...nothing, frames: 0, quality: NEW_QUALITY, self_test: null, told: null }
}

/** A value that is not what we once wrote counts as lost. */
export function readWatch(kept: unknown): WatchState | null {
  return WatchState.safeParse(kept).data ?? null
}

/** The state with this camera's part replaced or added. */
export function withCameraWatch(state: WatchState | null, camera: CameraWatch): WatchState {
  const others = (state?.cameras ?? []).filter(({ camera_id }) => camera_id !== camera.camera_id)
  // There is one primary camera.
  const rest = others.map((other) => (camera.is_primary && other.is_primary ? { ...other, is_primary: false } : other))
  const all = [...rest, camera].sort((a, b) => Number(b.is_primary) - Number(a.is_primary) || a.camera_id - b.camera_id)
  return { cameras: all }
}
