import { createHash, randomUUID } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'
import type { CameraConfig } from '../config/camera-config.js'
import { CameraError, openCamera, type Camera, type CameraSubject } from '../camera.js'
import { finishPicture, type FinishedPicture } from '../cameras/finish.js'
import { isFrozen, notePicture, type Sameness } from '../cameras/frozen.js'
import { captureDelayMs, captureReason, type CaptureReason, type CaptureState } from './capture-policy.js'
import type { Clock } from '../time/clock.js'
import { reasonOf } from '../uplink/connection-reason.js'
import type { Log } from '../log/log.js'
import type { PicClient } from './pic-client.js'
import { PicUploader, type TakenPic } from './pic-uploader.js'
import type { CameraView } from '../reports/status-message.js'

/** What the rest of the agent tells a camera: whether its pictures are wanted, and how often. */
export interface Attention {
  /** Whether the server is there at all; without it no picture is taken. */
  readonly online: boolean
  readonly printing: boolean
  readonly viewing: boolean
  /** How often the server wants pictures while printing; undefined when it has no wish. */
  readonly wantedMs?: number | undefined
}

export interface CameraDeps {
  readonly config: CameraConfig
  readonly camera: Camera
  readonly uploader: PicUploader
  readonly clock: Clock
  readonly log: Log
  /** The `current_print_ts` of now. */
  readonly printTs: () => number
  /** Called when the size of the pictures becomes known, or another. */
  readonly onSize: () => void
  /** Whether this machine has more to do than it can: then pictures become rarer. */
  readonly isBusy?: () => boolean
}

/** How long a camera may take for one picture. */
export const CAPTURE_TIMEOUT_MS = 10_000

/** Answers one who asked for a picture: with nothing when there is one, else with the reason. */
type Waiter = (error?: Error) => void

/** Takes one camera's pictures when they are due. */
export class CameraFlow {
  private attention: Attention = { online: false, printing: false, viewing: false }
  private lastMs: number | undefined
  private tookMs: number | undefined
  private failed = false
  /** Of the picture that is being taken: aborts when the camera takes too long, or the agent stops. */
  private capturing: AbortController | undefined
  /** The picture that is being taken: whoever wants one meanwhile gets the same. */
  private shot: Promise<FinishedPicture> | undefined
  private newest: { readonly picture: FinishedPicture; readonly atMs: number } | undefined
  private sameness: Sameness | undefined
  private isFrozen = false
  private waiters: Waiter[] = []
  private size: CameraView['size'] = null
  private cancelTimer: () => void = () => undefined
  private isClosed = false

  constructor(private readonly deps: CameraDeps) {}

  /** How the settings section shows this camera. */
  view(): CameraView {
    return { label: this.deps.config.label, primary: this.deps.config.primary, size: this.size }
  }

  /** Takes note of what is wanted. Somebody who begins to look on gets a picture at once. */
  attend(attention: Attention): void {
    const before = this.attention
    if (isSame(before, attention)) return
    this.attention = attention
    if (attention.viewing && !before.viewing) this.waiters.push(() => undefined)
    this.schedule()
  }

  /** Takes a picture now. Resolves once it is taken; rejects with {@link CameraError} when there is none. */
  take(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiters.push((error) => (error ? reject(error) : resolve()))
      this.schedule()
    })
  }

  /**
   * Takes a picture for whoever asks, beside all that goes to the server.
   *
   * @param maxAgeMs how old a picture may be that has been taken anyway
   * @throws {CameraError}
   */
  shoot(maxAgeMs = 0): Promise<FinishedPicture> {
    const { newest } = this
    if (newest && this.deps.clock.monotonicMs() - newest.atMs < maxAgeMs) return Promise.resolve(newest.picture)
    return this.picture(new AbortController())
  }

  close(): void {
    this.isClosed = true
    this.capturing?.abort()
    this.cancelTimer()
    this.deps.camera.close?.()
    this.deps.uploader.close()
    this.answer(new CameraError('the agent stops'))
  }

  private schedule(): void {
    this.cancelTimer()
    if (!this.attention.online || this.capturing || this.isClosed) return
    const delayMs = captureDelayMs(this.state(), this.deps.clock.monotonicMs())
    this.cancelTimer = this.deps.clock.after(Math.max(0, delayMs), () => void this.capture())
  }

  private state(): CaptureState {
    const { lastMs, tookMs, failed, attention, waiters, deps } = this
    const { printing, viewing, wantedMs } = attention
    const { intervalMs } = deps.config
    const busy = (deps.isBusy ?? (() => isReal(deps.config) && isMachineBusy()))()
    return { lastMs, tookMs, failed, intervalMs, printing, viewing, wantedMs, busy, asked: waiters.length > 0 }
  }

  private async capture(): Promise<void> {
    const { clock } = this.deps
    const takenMs = clock.monotonicMs()
    const reason = captureReason(this.state(), takenMs)
    if (reason === 'interval') this.lastMs = takenMs
    const capturing = new AbortController()
    this.capturing = capturing
    try {
      const picture = await this.picture(capturing)
      this.tookMs = clock.monotonicMs() - takenMs
      this.worked(picture, reason, takenMs)
    } catch (error) {
      this.broke(error)
    } finally {
      this.capturing = undefined
      this.schedule()
    }
  }

  private picture(capturing: AbortController): Promise<FinishedPicture> {
    this.shot ??= this.takeShot(capturing).finally(() => {
      this.shot = undefined
    })
    return this.shot
  }

  private async takeShot(capturing: AbortController): Promise<FinishedPicture> {
    const { camera, config, clock } = this.deps
    const atMs = clock.monotonicMs()
    // Not `AbortSignal.any` with `AbortSignal.timeout`: Node 20 may collect the timeout before it fires.
    const cancelTimeout = clock.after(CAPTURE_TIMEOUT_MS, () => capturing.abort())
    try {
      const bytes = await camera.capture(capturing.signal)
      const picture = await finishPicture(bytes, config.change)
      this.newest = { picture, atMs }
      if (isReal(config)) this.watchForFreeze(bytes, atMs)
      return picture
    } finally {
      cancelTimeout()
    }
  }

  /** Told once, and once more when it is over. The pictures go on to the server, which judges them for itself. */
  private watchForFreeze(bytes: Uint8Array, nowMs: number): void {
    const { log } = this.deps
    this.sameness = notePicture(this.sameness, createHash('sha1').update(bytes).digest('base64'), nowMs)
    const frozen = isFrozen(this.sameness, nowMs)
    if (frozen && !this.isFrozen)
      log.warn({}, 'the camera gives the same picture over and over: it has hung up, or sees nothing but dark')
    if (!frozen && this.isFrozen) log.info({}, 'the camera gives new pictures again')
    this.isFrozen = frozen
  }

  private worked({ bytes, size }: FinishedPicture, reason: CaptureReason, takenMs: number): void {
    const { config, uploader, log, printTs, onSize } = this.deps
    if (this.isClosed) return
    if (this.failed) log.info({}, 'the camera works again')
    this.failed = false
    const { label, primary, nozzle } = config
    const boost = reason === 'asked' && this.attention.printing
    uploader.offer({ id: randomUUID(), bytes, label, primary, nozzle, boost, takenMs, printTs: printTs() })
    this.answer()
    if (this.size?.width === size.width && this.size.height === size.height) return
    this.size = size
    log.info({ ...size }, 'the camera gives pictures')
    onSize()
  }

  /** Told once: a camera that is switched off stays off for hours. */
  private broke(error: unknown): void {
    const { log } = this.deps
    if (this.isClosed) return
    const cameraError = error instanceof CameraError ? error : new CameraError(reasonOf(error), { cause: error })
    const why = cameraError.message
    if (this.failed) log.debug({ why }, 'the camera still gives no picture')
    else log.warn({ why }, 'the camera gives no picture; the agent goes on without and tries again')
    this.failed = true
    this.answer(cameraError)
  }

  private answer(error?: Error): void {
    for (const waiter of this.waiters.splice(0)) waiter(error)
  }
}

/** Opens all cameras of a printer. */
export function openCameraFlows(
  cameras: readonly CameraConfig[],
  deps: Omit<CameraDeps, 'config' | 'camera' | 'uploader' | 'printTs'> & {
    pics: PicClient
    subject: CameraSubject
    onLost: (pic: TakenPic) => void
  },
): Promise<CameraFlow[]> {
  const { pics, subject, clock, onSize, onLost } = deps
  return Promise.all(
    cameras.map(async (config) => {
      const log = deps.log.child({ camera: config.label })
      const camera = await openCamera(config.source, subject)
      const uploader = new PicUploader(pics, clock, log, onLost)
      return new CameraFlow({ config, camera, uploader, clock, log, printTs: () => subject.printTs(), onSize })
    }),
  )
}

/** Pictures of a folder and drawn ones stand still as long as their printer does. */
function isReal({ source }: CameraConfig): boolean {
  return source.type !== 'pictures' && source.type !== 'generated'
}

/** Twice as much that wants to run as there are cores to run it, over the last minute. */
function isMachineBusy(): boolean {
  return (loadavg()[0] ?? 0) > 2 * availableParallelism()
}

function isSame(a: Attention, b: Attention): boolean {
  return a.online === b.online && a.printing === b.printing && a.viewing === b.viewing && a.wantedMs === b.wantedMs
}
