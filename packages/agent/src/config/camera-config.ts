import { z } from 'zod'
import { iniBoolean, iniNumber, iniText, iniUrl } from './ini-values.js'

const SOURCES = ['snapshot_url', 'stream_url', 'device', 'webcam', 'pictures'] as const

const rotation = z.enum(['0', '90', '180', '270'], 'should be 0, 90, 180 or 270').transform(Number)

/** Where a moving picture comes from: a web address, or one of the protocol of network cameras. */
const streamUrl = z.string().transform((text, context) => {
  const protocol = URL.canParse(text) ? new URL(text).protocol : ''
  if (!['http:', 'https:', 'rtsp:', 'rtsps:'].includes(protocol)) {
    context.addIssue('should be a URL like http://192.168.1.20/stream or rtsp://192.168.1.20/stream')
  }
  return text
})

/**
 * A camera of this machine. The name reaches the command line of another program, so nothing but these names passes: not one
 * character that a shell would take for more than itself. `TEST` is the made-up picture of fswebcam.
 */
const device = z
  .string()
  .regex(
    /^(?:\/dev\/video\d{1,3}|\/dev\/v4l\/by-(?:id|path)\/[A-Za-z0-9_][A-Za-z0-9_.:+-]{0,200}|TEST)$/,
    'should be a camera like /dev/video0 or /dev/v4l/by-id/usb-…-video-index0',
  )

const resolution = z
  .string()
  .regex(/^\d{2,5}x\d{2,5}$/, 'should be a width and a height like 1280x720')
  .transform((text) => {
    const [width = 0, height = 0] = text.split('x').map(Number)
    return { width, height }
  })

/** A `[camera …]` section. Exactly one key says where the pictures come from. */
export const cameraConfig = z
  .strictObject({
    snapshot_url: iniUrl.optional(),
    stream_url: streamUrl.optional(),
    device: device.optional(),
    /** The name of a webcam that is set up in the printer's Moonraker, or `first`. */
    webcam: iniText.optional(),
    pictures: iniText.optional(),
    /** For cameras that want a login; it may also stand in the URL. */
    user: iniText.optional(),
    password: z.string().optional(),
    /** What a `device` is asked for; it gives the nearest it can. */
    resolution: resolution.optional(),
    primary: iniBoolean.optional(),
    nozzle: iniBoolean.default(false),
    flip_h: iniBoolean.default(false),
    flip_v: iniBoolean.default(false),
    /** Degrees, clockwise. */
    rotation: rotation.default(0),
    /** The longest side in pixels; pictures that are larger are made smaller. */
    max_size: iniNumber({ min: 64, max: 16_384, whole: true }).optional(),
    /** Seconds between pictures while printing. */
    interval: iniNumber({ min: 0.1, max: 86_400 }).default(10),
  })
  .transform((values, context) => {
    const given = SOURCES.filter((key) => values[key] !== undefined)
    if (given.length !== 1) {
      const instead = given.length > 1 ? `, not ${given.join(' and ')}` : ''
      context.addIssue(`needs exactly one of ${SOURCES.join(', ')}${instead}`)
    }
    const address = values.snapshot_url ?? values.stream_url
    const problem = loginProblem(values, address) ?? resolutionProblem(values)
    if (problem) context.addIssue(problem)
    const { primary, nozzle, flip_h: flipH, flip_v: flipV, rotation: degrees, max_size: maxSize, interval } = values
    const change: PictureChange = { flipH, flipV, rotation: degrees, maxSize }
    return { source: sourceOf(values), primary, nozzle, change, intervalMs: interval * 1000 }
  })

/** The user and password of a camera. */
export interface CameraLogin {
  readonly user: string
  readonly password: string
}

/** Where a camera's pictures come from. A `url` may hold a user and password. */
export type CameraSource =
  | { readonly type: 'snapshot'; readonly url: string; readonly login?: CameraLogin | undefined }
  | { readonly type: 'stream'; readonly url: string; readonly login?: CameraLogin | undefined }
  | { readonly type: 'rtsp'; readonly url: string; readonly login?: CameraLogin | undefined }
  | { readonly type: 'device'; readonly path: string; readonly resolution: Resolution }
  /** `moonraker` is that of the printer; it is known once the whole configuration is read. */
  | { readonly type: 'webcam'; readonly name: string; readonly moonraker?: MoonrakerAddress }
  | { readonly type: 'pictures'; readonly folder: string }
  | { readonly type: 'generated' }

/** Where a Moonraker is, and the key that it wants. */
export interface MoonrakerAddress {
  readonly url: string
  readonly apiKey: string | undefined
}

export interface Resolution {
  readonly width: number
  readonly height: number
}

interface Values {
  readonly snapshot_url?: string | undefined
  readonly stream_url?: string | undefined
  readonly device?: string | undefined
  readonly webcam?: string | undefined
  readonly pictures?: string | undefined
  readonly user?: string | undefined
  readonly password?: string | undefined
  readonly resolution?: Resolution | undefined
}

/** What USB cameras give at a rate that is worth having, and what the detection is made for. */
const USUAL_RESOLUTION: Resolution = { width: 1280, height: 720 }

function sourceOf({ snapshot_url, stream_url, device: path, webcam, pictures, ...rest }: Values): CameraSource {
  const login = rest.user === undefined ? undefined : { user: rest.user, password: rest.password ?? '' }
  if (snapshot_url !== undefined) return { type: 'snapshot', url: snapshot_url, login }
  if (stream_url !== undefined)
    return { type: /^rtsps?:/i.test(stream_url) ? 'rtsp' : 'stream', url: stream_url, login }
  if (path !== undefined) return { type: 'device', path, resolution: rest.resolution ?? USUAL_RESOLUTION }
  if (webcam !== undefined) return { type: 'webcam', name: webcam }
  return pictures === 'generated' ? { type: 'generated' } : { type: 'pictures', folder: pictures ?? '' }
}

function loginProblem({ user, password }: Values, address: string | undefined): string | undefined {
  if (user === undefined) return password === undefined ? undefined : 'has a password without a user'
  if (address === undefined) return 'user and password belong to a snapshot_url or stream_url'
  const isTwice = URL.canParse(address) && new URL(address).username !== ''
  return isTwice ? 'has its user in the URL and beside it: once is enough' : undefined
}

function resolutionProblem({ device: path, resolution: given }: Values): string | undefined {
  if (given === undefined || path !== undefined) return undefined
  return 'resolution is for a device; max_size makes other pictures smaller'
}

/** How a picture is changed before it leaves the agent. */
export interface PictureChange {
  readonly flipH: boolean
  readonly flipV: boolean
  readonly rotation: number
  readonly maxSize: number | undefined
}

/** One camera of a printer. */
export interface CameraConfig {
  /** The words after the printer's name, or just "camera". */
  readonly label: string
  readonly source: CameraSource
  readonly primary: boolean
  readonly nozzle: boolean
  readonly change: PictureChange
  readonly intervalMs: number
}

/** What must never be seen in a log: the passwords of a camera, as given and as they may turn up. */
export function cameraSecrets({ source }: CameraConfig): string[] {
  if (source.type !== 'snapshot' && source.type !== 'stream' && source.type !== 'rtsp') return []
  const inUrl = URL.canParse(source.url) ? new URL(source.url).password : ''
  return [source.login?.password ?? '', inUrl].filter((secret) => secret !== '')
}
