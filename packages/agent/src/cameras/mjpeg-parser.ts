import { CameraError } from '../camera.js'
import { MAX_PICTURE_BYTES } from './picture.js'

/** Before a picture; real cameras need a few hundred bytes. */
const MAX_HEADER_BYTES = 64 * 1024

/** What the lines before a picture have said so far. */
interface Header {
  readonly boundary: string
  /** 0 while none was given. */
  length: number
}

interface Part {
  readonly boundary: string
  /** Bytes that are still to come; undefined where only the next boundary tells the end. */
  left: number | undefined
  /** What has come of it; undefined for a picture that nobody waits for, of which only the end is looked for. */
  readonly kept: Uint8Array[] | undefined
  size: number
}

/**
 * Finds the pictures in a multipart stream, chunk by chunk. Never holds more than one, and none that is not wanted: a stream
 * brings ten or thirty a second, of which the agent needs one now and then.
 *
 * The boundary that the answer declares is not used: cameras quote it, prefix it with its own dashes, or leave it out. The
 * first line that starts with two dashes is the boundary.
 */
export class MjpegParser {
  private buffer: Buffer = Buffer.alloc(0)
  private part: Part | undefined
  private boundary: string | undefined
  private header: Header | undefined
  private headerBytes = 0

  /**
   * @param isWanted asked at the start of each picture: whether it is to be kept
   * @param onPicture takes the pictures that were wanted, whole
   */
  constructor(
    private readonly isWanted: () => boolean,
    private readonly onPicture: (picture: Buffer) => void,
  ) {}

  /**
   * Takes in more of the stream.
   *
   * @throws {CameraError} when the stream is not what it should be, or grows beyond all pictures
   */
  push(chunk: Uint8Array): void {
    let rest: Uint8Array = chunk
    while (rest.length > 0) {
      if (!this.part) rest = this.readHeader(rest)
      else if (this.part.left === undefined) rest = this.untilBoundary(this.part, rest)
      else rest = this.counted(this.part, this.part.left, rest)
    }
  }

  /** The boundary line and the part's headers, line by line, up to the empty line. Answers what comes behind them. */
  private readHeader(chunk: Uint8Array): Uint8Array {
    const bytes = this.buffer.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.buffer, chunk])
    let at = 0
    for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, at)) {
      const line = bytes.toString('latin1', at, bytes[end - 1] === RETURN ? Math.max(at, end - 1) : end)
      this.headerBytes += end + 1 - at
      at = end + 1
      if (!this.header) this.header = /^--./.test(line) ? { boundary: line.trimEnd(), length: 0 } : undefined
      else if (line === '') return this.begin(this.header, bytes.subarray(at))
      else this.header.length ||= Number(/^content-length:\s*(\d+)/i.exec(line)?.[1] ?? 0)
    }
    this.buffer = bytes.subarray(at)
    if (this.headerBytes + this.buffer.length > MAX_HEADER_BYTES) throw new CameraError('the answer is no MJPEG stream')
    return NOTHING
  }

  private begin({ boundary, length }: Header, rest: Buffer): Uint8Array {
    this.buffer = NOTHING
    this.header = undefined
    this.headerBytes = 0
    this.boundary ??= boundary
    if (length > MAX_PICTURE_BYTES) throw new CameraError('the picture is too large')
    // A length of nothing is a camera that does not know; the boundary tells.
    const left = length > 0 ? length : undefined
    this.part = { boundary: this.boundary, left, kept: this.isWanted() ? [] : undefined, size: 0 }
    return rest
  }

  private counted(part: Part, left: number, chunk: Uint8Array): Uint8Array {
    const own = chunk.subarray(0, left)
    part.kept?.push(own)
    part.left = left - own.length
    if (part.left === 0) this.finish(part)
    return chunk.subarray(own.length)
  }

  private untilBoundary(part: Part, chunk: Uint8Array): Uint8Array {
    const bytes = this.buffer.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.buffer, chunk])
    const mark = Buffer.from(`\n${part.boundary}`, 'latin1')
    const at = bytes.indexOf(mark)
    if (at < 0) {
      // What may be the beginning of the boundary stays; its line end may have a return before it.
      const sure = Math.max(0, bytes.length - mark.length - 1)
      this.keep(part, bytes.subarray(0, sure))
      this.buffer = bytes.subarray(sure)
      return NOTHING
    }
    this.keep(part, bytes.subarray(0, bytes[at - 1] === 0x0d ? at - 1 : at))
    this.buffer = NOTHING
    this.finish(part)
    return bytes.subarray(at + 1)
  }

  private keep(part: Part, bytes: Uint8Array): void {
    part.kept?.push(bytes)
    part.size += bytes.length
    if (part.size > MAX_PICTURE_BYTES) throw new CameraError('the picture is too large')
  }

  private finish({ kept }: Part): void {
    this.part = undefined
    if (kept) this.onPicture(Buffer.concat(kept))
  }
}

const NOTHING = Buffer.alloc(0)
const NEW_LINE = 0x0a
const RETURN = 0x0d
