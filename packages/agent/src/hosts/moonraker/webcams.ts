import { z } from 'zod'
import type { CameraSource, PictureChange } from '../../config/camera-config.js'
import { CameraError } from '../../camera.js'

const text = z.string().catch('')
const flag = z.boolean().catch(false)

/** A webcam as it is set up in Mainsail, Fluidd or moonraker.conf. `rotation` is in degrees, clockwise. */
const Webcam = z.object({
  name: z.string(),
  enabled: z.boolean().catch(true),
  service: text,
  stream_url: text,
  snapshot_url: text,
  flip_horizontal: flag,
  flip_vertical: flag,
  rotation: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]).catch(0),
})
export type Webcam = z.infer<typeof Webcam>

const WebcamList = z.object({ webcams: z.array(z.unknown()) })

/** The word in place of a name that takes the first webcam there is. */
export const FIRST_WEBCAM = 'first'

/**
 * Finds a webcam in the answer of `server.webcams.list`.
 *
 * @throws {CameraError} when there is none of this name, or it is switched off; says which there are
 */
export function findWebcam(result: unknown, name: string): Webcam {
  const list = WebcamList.safeParse(result).data?.webcams ?? []
  const webcams = list.flatMap((entry) => Webcam.safeParse(entry).data ?? [])
  const enabled = webcams.filter((webcam) => webcam.enabled)
  const found = webcams.find((webcam) => webcam.name === name) ?? (name === FIRST_WEBCAM ? enabled[0] : undefined)
  if (found?.enabled) return found
  if (found) throw new CameraError(`the webcam "${name}" is switched off in Moonraker`)
  const there = enabled.map((webcam) => webcam.name).join(', ')
  throw new CameraError(there ? `Moonraker has no webcam "${name}", but ${there}` : 'Moonraker has no webcam')
}

/** Services whose stream is MJPEG over HTTP, which we can read; the others are for browsers. */
const MJPEG = /^(mjpeg|uv4l)/

/**
 * Where the pictures of a webcam come from: single ones where it has them, else its stream.
 *
 * @param moonrakerUrl the address under which we reach Moonraker
 * @throws {CameraError} when it has nothing but a stream for browsers
 */
export function sourceOfWebcam(webcam: Webcam, moonrakerUrl: string): CameraSource {
  const { name, service, stream_url, snapshot_url } = webcam
  if (snapshot_url) return { type: 'snapshot', url: resolved(snapshot_url, moonrakerUrl, name) }
  if (stream_url.startsWith('rtsp')) return { type: 'rtsp', url: stream_url }
  if (stream_url && (MJPEG.test(service) || service === '')) {
    return { type: 'stream', url: resolved(stream_url, moonrakerUrl, name) }
  }
  throw new CameraError(`the webcam "${name}" (${service}) has no snapshot URL: set one in Mainsail or Fluidd`)
}

/** Where Moonraker itself listens; several on one machine count upwards. Its web front end has the usual port of the web. */
const MOONRAKER_PORT = /^71\d\d$/

/** An address may be relative to the web front end, which is where people look at it. */
function resolved(address: string, moonrakerUrl: string, name: string): string {
  const frontEnd = new URL('/', moonrakerUrl)
  if (MOONRAKER_PORT.test(frontEnd.port)) frontEnd.port = ''
  const url = URL.canParse(address, frontEnd.href) ? new URL(address, frontEnd) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new CameraError(`the webcam "${name}" has an address that is not of the web: ${address}`)
  }
  return url.href
}

/** Front ends turn a picture and mirror the turned one; we mirror first, which turns a quarter the other way round. */
export function changeOfWebcam({ flip_horizontal, flip_vertical, rotation }: Webcam): PictureChange {
  const isReversed = flip_horizontal !== flip_vertical
  return {
    flipH: flip_horizontal,
    flipV: flip_vertical,
    rotation: isReversed ? (360 - rotation) % 360 : rotation,
    maxSize: undefined,
  }
}
