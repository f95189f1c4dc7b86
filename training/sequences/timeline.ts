import type { Crop, LookOptions, Polygon } from '../../packages/server/src/detection/cameras/look-options.js'
import type { Findings } from '../../packages/server/src/detection/detector.js'
import type { Box } from './score-book.js'

/** One frame of a print as the decisions see it. */
export interface TimelineFrame {
  /** Milliseconds since the print began. */
  readonly at: number
  readonly score: number
  /** The confidences of all findings, added up. */
  readonly sum: number
  readonly boxes: readonly Box[]
  /** What the detector finds when it looks at the frame's picture in this way; absent where there is no picture. */
  readonly look?: (options: LookOptions) => Findings
}

/** What a user would mark in a camera's picture. */
export interface Marks {
  /** The bed. */
  readonly crop: Crop
  /** What confuses and is no part of the print. */
  readonly regions: readonly Polygon[]
}

/** Where frames come from. */
export type Source =
  /** Pictures of the agent's simulated printers, scored by the model. */
  | 'scene'
  /** Pictures of rendered toolpaths, scored by the model. */
  | 'toolpath'
  /** Scores of real photos; nothing was rendered. */
  | 'photo'
  /** Frames or scores that were handed in. */
  | 'given'
  /** Pictures of the agent's simulated printers with small failures and things that confuse, as the detector finds them. */
  | 'small'

/** A whole print. */
export interface Timeline {
  readonly id: string
  readonly source: Source
  readonly half: 0 | 1
  /** When a person could first see that it fails, in milliseconds since its beginning; null for a good print. */
  readonly visibleAt: number | null
  readonly endAt: number
  /** Good prints of the same printer before this one. */
  readonly history: readonly Timeline[]
  readonly marks?: Marks
  /** How many milliseconds pass between two frames unless the cadence is adapted. */
  readonly intervalMs: number
  /** The frame that the camera gives at this instant; undefined when it was lost, or when none was recorded until the end. */
  frameAt(at: number): TimelineFrame | undefined
  /** The first instant after `at` at which there is a frame, when frames are asked for `wantedMs` apart. */
  next(at: number, wantedMs: number): number
}
