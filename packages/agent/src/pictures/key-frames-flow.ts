import { randomUUID } from 'node:crypto'
import type { PrintEventType } from '@printwarden/protocol'
import { isRefusedForGood } from '../uplink/agent-client.js'
import type { CameraFlow } from './camera-flow.js'
import type { Clock } from '../time/clock.js'
import { reasonOf } from '../uplink/connection-reason.js'
import { Drain, type DrainStep } from '../uplink/drain.js'
import type { KeyFrameReason } from './frame-quota.js'
import type { FrameStore } from './frame-store.js'
import type { Log } from '../log/log.js'
import type { PicClient } from './pic-client.js'
import type { TakenPic } from './pic-uploader.js'
import type { KeptFrame } from './stored-frame.js'

export interface KeyFramesDeps {
  readonly store: FrameStore
  /** The camera whose pictures make the time-lapse; undefined when there is none. */
  readonly camera: CameraFlow | undefined
  readonly pics: PicClient
  /** Whether the server knows of the print already: before, it has no place for its pictures. */
  readonly isTold: (printTs: number) => boolean
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

/** The print as far as pictures of it are wanted. */
export interface KeyFrameSubject {
  readonly online: boolean
  /** Null when nothing is printed. */
  readonly print: { readonly ts: number; readonly paused: boolean } | null
}

/** Between pictures of a print that just goes on. The quota thins them out when there are many. */
export const SPARSE_MS = 60_000

const REASON_OF_EVENT: Record<PrintEventType, KeyFrameReason> = {
  PrintStarted: 'started',
  PrintPaused: 'paused',
  PrintResumed: 'resumed',
  PrintDone: 'ended',
  PrintCancelled: 'ended',
  PrintFailed: 'ended',
}

/** Keeps pictures while the server is away, and uploads them when it is back. */
export class KeyFrames {
  private subject: KeyFrameSubject = { online: false, print: null }
  private readonly drain: Drain
  private shots: Promise<void> = Promise.resolve()
  private cancelTimer: () => void = () => undefined
  private isClosed = false

  constructor(private readonly deps: KeyFramesDeps) {
    const { clock, random, log } = deps
    this.drain = new Drain(
      { clock, random },
      () => this.uploadNext(),
      (error, retryInMs) => log.debug({ why: reasonOf(error), retry_ms: retryInMs }, 'a kept picture waits'),
    )
  }

  /** Takes note of what is printed and whether the server is there. */
  attend(subject: KeyFrameSubject): void {
    const before = this.subject
    this.subject = subject
    if (subject.online && !before.online) this.drain.open()
    if (!subject.online && before.online) this.drain.close()
    if (isWanted(subject) !== isWanted(before) || subject.print?.ts !== before.print?.ts) this.schedule()
  }

  /** A turn of a print that the server cannot see now. */
  event(type: PrintEventType, printTs: number): void {
    if (!this.subject.online) this.shoot(REASON_OF_EVENT[type], printTs)
  }

  /** A picture of a print could not be uploaded, since the server has gone away meanwhile. */
  lost(pic: TakenPic): void {
    const { id, bytes, label, primary, boost, printTs, takenMs } = pic
    if (!primary || boost || printTs <= 0) return
    this.keep({ id, printTs, label, reason: 'lost', atMs: takenMs }, bytes)
  }

  /** How many pictures of a print wait for the server. */
  count(printTs: number): number {
    return this.deps.store.list().filter((frame) => frame.printTs === printTs).length
  }

  /** The server may have learned of a print. */
  nudge(): void {
    if (this.deps.store.list().length > 0) this.drain.nudge()
  }

  /** Resolves once what is being kept is on the disk. */
  async close(): Promise<void> {
    this.isClosed = true
    this.cancelTimer()
    this.drain.close()
    await this.shots
  }

  private schedule(): void {
    this.cancelTimer()
    if (!isWanted(this.subject) || !this.deps.camera || this.isClosed) return
    this.cancelTimer = this.deps.clock.after(SPARSE_MS, () => {
      const { print } = this.subject
      if (print) this.shoot('interval', print.ts)
      this.schedule()
    })
  }

  /** One picture after the other: a camera that hangs must not pile them up. */
  private shoot(reason: KeyFrameReason, printTs: number): void {
    const { camera, clock, log } = this.deps
    if (!camera || this.isClosed) return
    this.shots = this.shots.then(async () => {
      const atMs = clock.monotonicMs()
      try {
        const { bytes } = await camera.shoot()
        await this.store({ id: randomUUID(), printTs, label: camera.view().label, reason, atMs }, bytes)
      } catch (error) {
        log.debug({ why: reasonOf(error) }, 'there is no picture to keep')
      }
    })
  }

  private keep(frame: Omit<KeptFrame, 'seq' | 'numBytes'>, bytes: Uint8Array): void {
    if (!this.isClosed) this.shots = this.shots.then(() => this.store(frame, bytes))
  }

  private async store(frame: Omit<KeptFrame, 'seq' | 'numBytes'>, bytes: Uint8Array): Promise<void> {
    if (await this.deps.store.add(frame, bytes)) this.nudge()
  }

  private async uploadNext(): Promise<DrainStep> {
    const { store, pics, isTold, clock, log } = this.deps
    const frame = store.list().find(({ printTs }) => isTold(printTs))
    if (!frame) return 'empty'
    const { id, label, printTs, atMs } = frame
    const bytes = await store.read(id)
    if (bytes) {
      const ageMs = Math.max(0, clock.monotonicMs() - atMs)
      const view = { label, primary: true, nozzle: false, boost: false }
      const result = await pics.upload({
        id,
        bytes,
        ...view,
        ageMs,
        past: { printTs, picsToCome: this.count(printTs) - 1 },
      })
      if (result.type === 'wait') return { waitMs: result.waitMs }
      if (result.type === 'refused') {
        if (!isRefusedForGood(result.status)) throw new Error(`the server answers ${result.status}`)
        log.warn({ status: result.status, detail: result.detail }, 'a kept picture was refused')
      }
    }
    await store.remove(id)
    return 'more'
  }
}

function isWanted({ online, print }: KeyFrameSubject): boolean {
  return !online && print !== null && !print.paused
}
