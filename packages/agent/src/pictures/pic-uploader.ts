import type { Clock } from '../time/clock.js'
import { reasonOf } from '../uplink/connection-reason.js'
import type { Log } from '../log/log.js'
import type { PicClient, PicUpload } from './pic-client.js'

/** A picture of the print `printTs` that was taken at `takenMs` (monotonic) and is to be uploaded. */
export type TakenPic = Omit<PicUpload, 'ageMs' | 'past'> & { readonly takenMs: number; readonly printTs: number }

/** Uploads the pictures of one camera, one at a time. Of those that wait only the newest is kept. */
export class PicUploader {
  private waiting: TakenPic | undefined
  private isUploading = false
  private isTroubled = false
  private isClosed = false
  private notBeforeMs = 0

  constructor(
    private readonly pics: PicClient,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Told of a picture of which nobody knows whether it has arrived. */
    private readonly onLost: (pic: TakenPic) => void = () => undefined,
  ) {}

  offer(pic: TakenPic): void {
    this.waiting = pic
    if (!this.isUploading) void this.work()
  }

  close(): void {
    this.isClosed = true
  }

  private async work(): Promise<void> {
    this.isUploading = true
    while (this.waiting && !this.isClosed && this.clock.monotonicMs() >= this.notBeforeMs) {
      const pic = this.waiting
      this.waiting = undefined
      await this.send(pic)
    }
    this.isUploading = false
  }

  private async send(taken: TakenPic): Promise<void> {
    const { takenMs, printTs: _, ...pic } = taken
    try {
      const result = await this.pics.upload({ ...pic, ageMs: this.clock.monotonicMs() - takenMs })
      if (result.type === 'refused') return this.complain({ status: result.status, detail: result.detail })
      if (result.type === 'stored') return this.recover()
      this.notBeforeMs = this.clock.monotonicMs() + result.waitMs
      this.log.warn({ wait_ms: result.waitMs }, 'the server wants fewer pictures')
    } catch (error) {
      this.complain({ why: reasonOf(error) })
      if (!this.isClosed) this.onLost(taken)
    }
  }

  /** Told once, and once more when it is over. */
  private complain(fields: object): void {
    if (this.isClosed) return
    if (this.isTroubled) this.log.debug(fields, 'another picture was not uploaded')
    else this.log.warn(fields, 'a picture was not uploaded')
    this.isTroubled = true
  }

  private recover(): void {
    if (this.isTroubled) this.log.info({}, 'pictures are uploaded again')
    this.isTroubled = false
  }
}
