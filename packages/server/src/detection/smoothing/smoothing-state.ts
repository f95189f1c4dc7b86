import { z } from 'zod'
import { SPREAD_PRIOR } from './norm.js'
import { Track } from './votes.js'

/**
 * What detection remembers of one printer between two frames: plain JSON, kept in the live store and, now and then, in the
 * printer's row. The first seven numbers are those of the prediction JSON.
 */
export const SmoothingState = z.object({
  kind: z.enum(['default', 'upstream']),
  /** Analysed frames of this print. */
  current_frame_num: z.int().nonnegative(),
  /** Analysed frames of the printer's whole life. */
  lifetime_frame_num: z.int().nonnegative(),
  /** The last frame's value. */
  current_p: z.number(),
  ewm_mean: z.number(),
  rolling_mean_short: z.number(),
  rolling_mean_long: z.number(),
  normalized_p: z.number(),
  /** When the last analysed frame was taken. */
  frame_at: z.number().nullable(),
  /** The print that these values belong to. */
  print_id: z.number().nullable(),
  /** The last answer of the user to an alert that these values know of. */
  answered_at: z.number(),
  /** The last frames' values, oldest first. Empty for upstream's smoothing, like the rest. */
  recent: z.array(z.number()),
  /** The places that the last frames agree on, the surest first. */
  tracks: z.array(Track).default([]),
  /** Until then nothing is decided. */
  warm_until: z.number(),
  /** How much time of this print has been seen, in milliseconds. */
  watched_ms: z.number().nonnegative(),
  /** How much time the long mean has learned from, in milliseconds. */
  learned_ms: z.number().nonnegative(),
  /** How far good frames are from the long mean, as a mean in log-odds. */
  spread: z.number().nonnegative().default(SPREAD_PRIOR),
})
export type SmoothingState = z.infer<typeof SmoothingState>

export type SmoothingKind = SmoothingState['kind']

/** How bad it looks: `warning` is worth telling, `failing` is worth a pause. */
export type Level = 'fine' | 'warning' | 'failing'

/** Where something was found in a picture: its centre and size, in pixels. */
export interface Place {
  readonly confidence: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** One analysed frame. */
export interface SmoothingFrame {
  readonly frame_at: number
  /** The picture's score, 0 to 1. */
  readonly score: number
  /** The sum of the confidences of its findings. */
  readonly confidence_sum: number
  /** The printer's sensitivity; 1 is the normal one. */
  readonly sensitivity: number
  /** Where the findings are, the most confident first. Absent where nobody knows; then places have no say. */
  readonly places?: readonly Place[]
}

/** A frame's effect. */
export interface Smoothed {
  readonly state: SmoothingState
  readonly level: Level
}

/** Maps `value` from `from` to `to`, and keeps it inside of `to`. */
export function scale(value: number, from: readonly [number, number], to: readonly [number, number]): number {
  const share = Math.min(1, Math.max(0, (value - from[0]) / (from[1] - from[0])))
  return to[0] + share * (to[1] - to[0])
}

/** The failure gauge: up to `warning` in its first third, up to `failing` in its second, full at `full`. */
export function gauge(value: number, warning: number, failing: number, full: number): number {
  if (value > failing) return scale(value, [failing, full], [2 / 3, 1])
  if (value > warning) return scale(value, [warning, failing], [1 / 3, 2 / 3])
  return scale(value, [0, warning], [0, 1 / 3])
}
