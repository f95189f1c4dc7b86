import { type Detector, DetectorError, type Findings } from '../detection/detector.js'
import { shownBoxes } from '../detection/draw-boxes.js'
import type { LookOptions } from '../detection/cameras/look-options.js'
import { PICTURE_ENDINGS, pictureType } from '../detection/picture-type.js'
import { media } from '../http/media.js'
import { pictureLibrary } from '../picture-library.js'
import type { BlobStore, Clock, Log, Secrets } from '../ports.js'
import { findingsOf, type ServiceAnswer } from './detector-http-answer.js'
import { openService, ServiceError } from './detector-http-service.js'
import { tryWays, type Way, type WayOptions } from './detector-http-way.js'
import { Lanes } from './lanes.js'

export interface HttpDetectorOptions extends WayOptions {
  /** Where the service is, with its token as user name or password. */
  readonly url: string
  readonly token?: string | undefined
  readonly capacity: number
  readonly blobs: BlobStore
  readonly secrets: Pick<Secrets, 'sign' | 'verify' | 'newToken'>
  readonly clock: Clock
  readonly log: Log
  readonly firstProbeMs?: number
}

const FIRST_PROBE_MS = 1_000
const LAST_PROBE_MS = 30_000
const HEALTH_MS = 15_000
const MAX_WAITING = 16
const MAX_REFUSALS = 3
const MAX_PIXELS = 24_000_000
const PICTURES = 'detector/'
const STARTING = 'The detection service is being asked for the first time.'

/**
 * A detector that asks an HTTP service. How that service takes pictures is found out by trying: ours take them as bytes, others
 * fetch them, for which each picture lies at a signed address of this server for as long as the question takes.
 */
export function openHttpDetector(options: HttpDetectorOptions): Detector {
  const { blobs, secrets, clock, log } = options
  const service = openService(options.url, options.token)
  const urls = media({ secrets, clock })
  const full = (): Error => new DetectorError('unavailable', 'too many pictures are waiting')
  const lanes = new Lanes(options.capacity, MAX_WAITING, full)
  const abort = new AbortController()
  let way: Way | undefined
  let problem: string | null = STARTING
  /** Pictures in a row to which the service said no. */
  let refusals = 0
  let wake = (): void => {}

  async function ask(picture: Uint8Array, by: Way): Promise<ServiceAnswer> {
    if (by.type === 'bytes') return service.lookAtBytes(picture)
    const type = pictureType(picture) ?? 'image/jpeg'
    const key = `${PICTURES}${secrets.newToken(16)}.${PICTURE_ENDINGS[type]}`
    await blobs.put(key, picture, type)
    try {
      return await service.lookAtUrl(urls.urls(by.origin)(key))
    } finally {
      await blobs.remove(key)
    }
  }

  async function detect(picture: Uint8Array, look: LookOptions): Promise<Findings> {
    if (way === undefined) throw new DetectorError('unavailable', problem ?? STARTING)
    const begun = performance.now()
    const size = await sizeOf(picture)
    const decoded = performance.now()
    const answer = await ask(picture, way).catch(asDetectorError)
    const answered = performance.now()
    refusals = 0
    const { detections, score, leftOut } = findingsOf(answer, size, look)
    const shown = shownBoxes(detections)
    const { drawTagged } = await import('./detector-onnx-picture.js')
    const tagged = shown.length === 0 ? null : await drawTagged(picture, shown)
    const drawMs = tagged === null ? 0 : performance.now() - answered
    const times = { decodeMs: decoded - begun, inferenceMs: answered - decoded, drawMs }
    return { detections, score, leftOut, model: answer.model ?? `service at ${service.name}`, tagged, times }
  }

  /** A service that fails is asked whether it is well before it gets another picture; one that refuses a few in a row too. */
  function asDetectorError(err: unknown): never {
    if (!(err instanceof ServiceError)) throw err
    // Too much at once is no fault of the service: the next picture may fare better.
    if (err.status === 429) throw new DetectorError('unavailable', err.message, { cause: err })
    refusals = err.status === undefined || err.status >= 500 ? MAX_REFUSALS : refusals + 1
    if (refusals >= MAX_REFUSALS) setProblem(`The detection service at ${service.name} fails. ${err.message}`)
    throw new DetectorError('unavailable', err.message, { cause: err })
  }

  function setProblem(text: string): void {
    if (problem !== text) log.error({ detail: text }, 'failure detection is not available')
    problem = text
    way = undefined
    wake()
  }

  async function check(): Promise<void> {
    const health = await service.health()
    if (health === undefined || !/^ok/i.test(health)) {
      const said = health === undefined || health === '' ? 'does not answer' : `says "${health}"`
      setProblem(`The detection service at ${service.name} ${said}. Start it, or correct PRINTWARDEN_DETECTOR.`)
    } else if (way === undefined) {
      await findWay()
    }
  }

  async function findWay(): Promise<void> {
    try {
      const found = await tryWays(service, options, ask)
      if (abort.signal.aborted) return
      way = found
      refusals = 0
      problem = null
      log.info({ service: service.name, way: found.type }, 'detector ready')
    } catch (err) {
      if (!(err instanceof ServiceError)) throw err
      setProblem(`The detection service at ${service.name} does not work. ${err.message}`)
    }
  }

  /** Asks for as long as the detector is open: often until it works, then now and then, and at once when it has failed. */
  async function watch(): Promise<void> {
    const firstMs = options.firstProbeMs ?? FIRST_PROBE_MS
    let waitMs = firstMs
    await blobs.removeAll(PICTURES)
    while (!abort.signal.aborted) {
      await check()
      if (way === undefined) {
        await pause(waitMs)
        waitMs = Math.min(waitMs * 2, LAST_PROBE_MS)
      } else {
        waitMs = firstMs
        await pause(HEALTH_MS, true)
      }
    }
  }

  /** Waits, until the detector is closed or, where that may be, until it has failed. */
  function pause(ms: number, untilFailed = false): Promise<void> {
    if (abort.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        abort.signal.removeEventListener('abort', end)
        wake = () => {}
        resolve()
      }
      const timer = setTimeout(end, ms).unref()
      abort.signal.addEventListener('abort', end)
      if (untilFailed) wake = end
    })
  }

  const watching = watch().catch((err: unknown) => {
    log.error({ err }, 'the detection service is not watched any more')
    problem = 'The detection service is not watched any more. Restart the server.'
    way = undefined
  })

  return {
    capacity: options.capacity,
    detect: (picture, look = {}) => lanes.run(() => detect(picture, look)),
    ready: () => way !== undefined,
    problem: () => (way === undefined ? (problem ?? STARTING) : null),
    async close() {
      abort.abort()
      way = undefined
      problem = 'The server is stopping.'
      await watching
    },
  }
}

/** The picture's size as it is shown. A service is not bothered with what is no picture. @throws {DetectorError} */
async function sizeOf(picture: Uint8Array): Promise<{ width: number; height: number }> {
  if (pictureType(picture) === undefined)
    throw new DetectorError('invalid_image', 'neither a JPEG nor a PNG nor a WebP')
  const sharp = await pictureLibrary()
  try {
    const image = sharp(picture, { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true })
    const { autoOrient } = await image.metadata()
    // Reduced while decoding, so that a large JPEG costs little; what is cut off fails all the same.
    await image.resize(16, 16, { fit: 'fill' }).raw().toBuffer()
    return autoOrient
  } catch (err) {
    throw new DetectorError('invalid_image', err instanceof Error ? err.message : String(err), { cause: err })
  }
}
