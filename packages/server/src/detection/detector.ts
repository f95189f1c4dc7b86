import type { Detection } from '@printwarden/protocol'
import type { LookOptions } from './cameras/look-options.js'

/** Cells of {@link Findings.map} along each side of the picture. */
export const MAP_SIDE = 20

/** How long the parts of looking at one picture took, in milliseconds. */
export interface DetectionTimes {
  readonly decodeMs: number
  readonly inferenceMs: number
  /** Drawing the boxes and encoding the picture again; 0 when nothing was drawn. */
  readonly drawMs: number
}

/** What a detector found in one picture. */
export interface Findings {
  /** Boxes in pixels of the given picture, the most confident first. */
  readonly detections: readonly Detection[]
  /** How much the picture as a whole looks like a failure, 0 to 1; 0.5 is a sensible cut for a single picture. */
  readonly score: number
  /** Which model answered. */
  readonly model: string
  /** The picture with its boxes drawn, as a JPEG; null when no finding is sure enough to be shown. */
  readonly tagged: Uint8Array | null
  readonly times: DetectionTimes
  /**
   * {@link MAP_SIDE} rows of as many cells over the whole picture: in each the highest confidence of the boxes whose centre lies in it, before
   * any were left out for overlapping or for being unsure. Absent where a detector tells no more than its findings.
   */
  readonly map?: Float32Array
  /** What the model saw, as numbers that are near each other for pictures that look alike. Only of models with that output. */
  readonly embedding?: Float32Array
  /** What was looked at, small and grey: a square of 0..255, row by row. Of a crop, the crop. */
  readonly thumb?: Uint8Array
  /** Width and height of the picture as it is shown, in pixels: what the boxes are measured in. */
  readonly size?: readonly [number, number]
  /** How many boxes were left out since their centre lies in an ignored region. */
  readonly leftOut?: number
  /** The score without the tiles, where there were any. */
  readonly untiledScore?: number
}

/** The port towards failure detection: a picture in, findings out. Never works on the event loop. */
export interface Detector {
  /**
   * Looks at one picture.
   *
   * @throws {DetectorError} `invalid_image` when this picture cannot be read, `unavailable` when no picture can be looked at now
   */
  detect(picture: Uint8Array, options?: LookOptions): Promise<Findings>
  /** Whether pictures can be looked at now. */
  ready(): boolean
  /** Why they cannot, and what to do about it, in plain words without secrets; null when they can. */
  problem?(): string | null
  /** How many pictures are worth handing in at a time; two unless it says otherwise. */
  readonly capacity?: number
  close(): Promise<void>
}

export type DetectorErrorCode = 'invalid_image' | 'unavailable'

/** A picture was not looked at. */
export class DetectorError extends Error {
  override readonly name = 'DetectorError'

  constructor(
    readonly code: DetectorErrorCode,
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options)
  }
}

/** A picture gave way to others, which says nothing of the way that it would have gone. */
export class GaveWayError extends DetectorError {
  constructor(detail: string) {
    super('unavailable', detail)
  }
}
