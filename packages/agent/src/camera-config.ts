import { z } from 'zod'
import { iniBoolean, iniNumber, iniText, iniUrl } from './ini-values.js'

const SOURCES = ['snapshot_url', 'stream_url', 'pictures'] as const

const rotation = z.enum(['0', '90', '180', '270'], 'should be 0, 90, 180 or 270').transform(Number)

/** A `[camera …]` section. Exactly one key says where the pictures come from. */
export const cameraConfig = z
  .strictObject({
    snapshot_url: iniUrl.optional(),
    stream_url: iniUrl.optional(),
    pictures: iniText.optional(),
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
    const { primary, nozzle, flip_h: flipH, flip_v: flipV, rotation: degrees, max_size: maxSize, interval } = values
    const change: PictureChange = { flipH, flipV, rotation: degrees, maxSize }
    return { source: sourceOf(values), primary, nozzle, change, intervalMs: interval * 1000 }
  })

/** Where a camera's pictures come from. */
export type CameraSource =
  | { readonly type: 'snapshot'; readonly url: string }
  | { readonly type: 'stream'; readonly url: string }
  | { readonly type: 'pictures'; readonly folder: string }
  | { readonly type: 'generated' }

type Values = { [Key in (typeof SOURCES)[number]]?: string | undefined }

function sourceOf({ snapshot_url, stream_url, pictures }: Values): CameraSource {
  if (snapshot_url !== undefined) return { type: 'snapshot', url: snapshot_url }
  if (stream_url !== undefined) return { type: 'stream', url: stream_url }
  return pictures === 'generated' ? { type: 'generated' } : { type: 'pictures', folder: pictures ?? '' }
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
