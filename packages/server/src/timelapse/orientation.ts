import { z } from 'zod'

/** How the camera's pictures are turned to stand upright: first turned clockwise, then mirrored (wire facts, section 5.9). */
export interface Orientation {
  readonly rotation: 0 | 90 | 180 | 270
  readonly flipV: boolean
  readonly flipH: boolean
}

export const UPRIGHT: Orientation = { rotation: 0, flipV: false, flipH: false }

const Camera = z.looseObject({
  is_primary_camera: z.boolean().catch(false),
  flipV: z.boolean().catch(false),
  flipH: z.boolean().catch(false),
  rotation: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]).catch(0),
})
const Settings = z.looseObject({ webcams: z.array(Camera) })

/** The orientation of the primary camera, else of the first one, by the agent's stored settings (JSON text). */
export function orientationOf(settings: string): Orientation {
  const cameras = Settings.safeParse(parsed(settings)).data?.webcams ?? []
  const camera = cameras.find(({ is_primary_camera }) => is_primary_camera) ?? cameras[0]
  if (camera === undefined) return UPRIGHT
  const { rotation, flipV, flipH } = camera
  return { rotation, flipV, flipH }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The same, for a tool that mirrors before it turns: a quarter turn exchanges the two mirrors.
 */
export function mirroredFirst({ rotation, flipV, flipH }: Orientation): Orientation {
  const isQuarter = rotation === 90 || rotation === 270
  return isQuarter ? { rotation, flipV: flipH, flipH: flipV } : { rotation, flipV, flipH }
}

/** The longer side of a video has at most so many pixels. */
const MAX_SIDE = 1920

export interface Size {
  readonly width: number
  readonly height: number
}

/** How large a picture of this size is in a video, before it is turned: not too large, with even sides. */
export function videoSize({ width, height }: Size): Size {
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height))
  const side = (pixels: number): number => Math.max(16, 2 * Math.ceil(Math.round(pixels * scale) / 2))
  return { width: side(width), height: side(height) }
}

/** The size after turning. */
export function turnedSize({ width, height }: Size, { rotation }: Orientation): Size {
  return rotation === 90 || rotation === 270 ? { width: height, height: width } : { width, height }
}
