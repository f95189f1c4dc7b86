import { CameraError } from '../camera.js'
import { cameraError, type PictureBody } from './fetch-picture.js'
import { MjpegParser } from './mjpeg-parser.js'

/** A stream in which nothing has moved for this long is given up when the next picture is wanted. */
const STALE_MS = 5_000

interface Waiter {
  resolve(picture: Buffer): void
  reject(error: CameraError): void
}

/** An open MJPEG stream. It is read all the time, so that a picture taken from it is always of now. */
export class LiveStream {
  private waiter: Waiter | undefined
  private ended: CameraError | undefined
  private movedMs = performance.now()
  private readonly closing = new AbortController()

  constructor(private readonly body: PictureBody) {
    void this.read()
  }

  /** Whether nothing more is to be expected of it. */
  get isStale(): boolean {
    return this.ended !== undefined || performance.now() - this.movedMs > STALE_MS
  }

  /**
   * The next whole picture. Asked by one at a time.
   *
   * @throws {CameraError} when the stream ends or breaks before it, or `signal` ends the wait
   */
  async next(signal: AbortSignal): Promise<Buffer> {
    if (this.ended) throw this.ended
    const late = () => this.waiter?.reject(new CameraError('the camera takes too long'))
    signal.addEventListener('abort', late, { once: true })
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        this.waiter = { resolve, reject }
        if (signal.aborted) late()
      })
    } finally {
      this.waiter = undefined
      signal.removeEventListener('abort', late)
    }
  }

  close(): void {
    this.closing.abort()
    this.end(new CameraError('the camera takes too long'))
    this.body.destroy()
  }

  private async read(): Promise<void> {
    const parser = new MjpegParser(
      () => this.waiter !== undefined,
      (picture) => this.waiter?.resolve(picture),
    )
    try {
      for await (const chunk of this.body) {
        this.movedMs = performance.now()
        parser.push(chunk)
      }
      this.end(new CameraError('the stream ended before its first picture'))
    } catch (error) {
      this.end(cameraError(error, this.closing.signal))
      this.body.destroy()
    }
  }

  private end(error: CameraError): void {
    this.ended ??= error
    this.waiter?.reject(this.ended)
  }
}
