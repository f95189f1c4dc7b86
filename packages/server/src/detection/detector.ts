import type { Detection } from '@printwarden/protocol'

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
}

/** The port towards failure detection: a picture in, findings out. Never works on the event loop. */
export interface Detector {
  /**
   * Looks at one picture.
   *
   * @throws {DetectorError} `invalid_image` when this picture cannot be read, `unavailable` when no picture can be looked at now
   */
  detect(picture: Uint8Array): Promise<Findings>
  /** Whether pictures can be looked at now. */
  ready(): boolean
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
