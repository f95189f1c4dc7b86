/** What a video looks like. Width and height are even. */
export interface VideoForm {
  readonly width: number
  readonly height: number
  readonly framesPerSecond: number
}

/** A video that is being made. */
export interface VideoWriter {
  /** Adds one frame: RGB, a byte each, row by row. The bytes must not be changed until this resolves. */
  write(rgb: Uint8Array): Promise<void>
  /** Completes the file: it can be played while it is fetched, and sought in. */
  finish(): Promise<void>
  /** Stops, whatever is under way; what is left of the file is the caller's to remove. */
  abort(): Promise<void>
}

/** A file that is no video, or none that can be read. */
export class NoVideoError extends Error {}

/**
 * A picture from the middle of a video file, as JPEG; null when this machine has nothing that can look into videos.
 * @throws {NoVideoError}
 */
export type GrabPoster = (file: string) => Promise<Uint8Array | null>

/** Makes videos: MP4, H.264, 4:2:0, its index in front. */
export interface VideoEncoder {
  /** For the log. */
  readonly name: string
  /** Begins a video in the file of this path, whose folder is there. At least one frame must follow. */
  open(file: string, form: VideoForm): Promise<VideoWriter>
}
