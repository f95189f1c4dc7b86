import { CameraError } from '../camera.js'
import { MAX_PICTURE_BYTES } from './picture.js'

/** Before the first picture; real cameras need a few hundred bytes. */
const MAX_HEADER_BYTES = 64 * 1024

/**
 * Finds the first picture in a multipart stream, chunk by chunk, and never holds more than one picture.
 *
 * The boundary that the answer declares is not used: cameras quote it, prefix it with its own dashes, or leave it out. The
 * first line that starts with two dashes is the boundary.
 */
export class MjpegParser {
  private buffer: Buffer = Buffer.alloc(0)
  private part: { boundary: string; length: number | undefined } | undefined
  /** Up to here the buffer is known to hold no boundary. */
  private searched = 0

  /**
   * Takes in more of the stream; answers the picture once it is whole.
   *
   * @throws {CameraError} when the stream is not what it should be, or grows beyond all pictures
   */
  push(chunk: Uint8Array): Buffer | undefined {
    this.buffer = this.buffer.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.buffer, chunk])
    this.part ??= this.readHeader()
    if (!this.part) {
      if (this.buffer.length > MAX_HEADER_BYTES) throw new CameraError('the answer is no MJPEG stream')
      return undefined
    }
    const picture =
      this.part.length === undefined ? this.untilBoundary(this.part.boundary) : this.counted(this.part.length)
    if (!picture && this.buffer.length > MAX_PICTURE_BYTES) throw new CameraError('the picture is too large')
    return picture
  }

  /** The boundary line and the part's headers, up to the empty line; takes them off the buffer. */
  private readHeader(): { boundary: string; length: number | undefined } | undefined {
    const text = this.buffer.toString('latin1', 0, MAX_HEADER_BYTES)
    const match = /(?:^|\n)(--[^\r\n]+)\r?\n((?:[^\r\n]+\r?\n)*)\r?\n/.exec(text)
    if (!match) return undefined
    this.buffer = this.buffer.subarray(match.index + match[0].length)
    const length = /^content-length:\s*(\d+)/im.exec(match[2] ?? '')?.[1]
    // A length of nothing is a camera that does not know; the boundary tells.
    return { boundary: match[1]?.trimEnd() ?? '', length: length && Number(length) > 0 ? Number(length) : undefined }
  }

  private counted(length: number): Buffer | undefined {
    if (length > MAX_PICTURE_BYTES) throw new CameraError('the picture is too large')
    return this.buffer.length >= length ? this.buffer.subarray(0, length) : undefined
  }

  private untilBoundary(boundary: string): Buffer | undefined {
    const mark = Buffer.from(`\n${boundary}`, 'latin1')
    const at = this.buffer.indexOf(mark, Math.max(0, this.searched - mark.length))
    this.searched = this.buffer.length
    if (at < 0) return undefined
    return this.buffer.subarray(0, this.buffer[at - 1] === 0x0d ? at - 1 : at)
  }
}
