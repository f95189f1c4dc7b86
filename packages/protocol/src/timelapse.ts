import { z } from 'zod'

/** Why a print has no time-lapse: a stable code, and words for people. */
export const TIMELAPSE_REASONS = {
  turned_off: 'Time-lapses are turned off for this printer.',
  too_short: 'The print was shorter than the time-lapse setting of its printer.',
  no_frames: 'No picture was taken during this print.',
  no_encoder: 'This server has no program that makes videos.',
  failed: 'The video could not be made.',
  archived: 'The video was removed to save space.',
} as const
export const TimelapseReason = z.enum(
  Object.keys(TIMELAPSE_REASONS) as [keyof typeof TIMELAPSE_REASONS, ...(keyof typeof TIMELAPSE_REASONS)[]],
)
export type TimelapseReason = z.infer<typeof TimelapseReason>

/** `waiting` and `rendering` are on the way, `done` has a video, `none` and `failed` have a reason. */
export const TimelapseState = z.enum(['waiting', 'rendering', 'done', 'none', 'failed'])
export type TimelapseState = z.infer<typeof TimelapseState>

/** How far the time-lapse of a print is: `progress` 0–1; `reason` in words and `reason_code` when there is none. */
export const Timelapse = z
  .object({
    state: TimelapseState,
    progress: z.number(),
    reason: z.string().nullable(),
    reason_code: TimelapseReason.nullable(),
  })
  .meta({ id: 'Timelapse' })
export type Timelapse = z.infer<typeof Timelapse>
