import sharp, { type Sharp } from 'sharp'
import { DetectorError } from '../detection/detector.js'
import { type Corners, drawBoxes } from '../detection/draw-boxes.js'
import { pictureType } from '../detection/picture-type.js'

// Reads and writes pictures for the detector. Runs in its worker thread.

/** More pixels than this are no snapshot but an attack: a few hundred bytes can unfold to gigabytes. */
const MAX_PIXELS = 24_000_000
const JPEG_QUALITY = 85

sharp.concurrency(1)
sharp.cache(false)

/** A picture that was decoded for a model. */
export interface ModelInput {
  /** Red, green and blue planes, 0 to 1. */
  readonly planes: Float32Array
  /** Size of the picture as it is shown, before it was made to fit the model. */
  readonly width: number
  readonly height: number
}

function open(picture: Uint8Array): Sharp {
  return sharp(picture, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).autoOrient()
}

/** Red, green and blue bytes, whatever the picture was stored as. */
function asRgb(image: Sharp): Sharp {
  return image.toColourspace('srgb').removeAlpha().raw({ depth: 'uchar' })
}

/** Turns rows of pixels into planes of colours, scaled to 0 to 1. */
function toPlanes(rgb: Uint8Array): Float32Array {
  const size = rgb.length / 3
  const planes = new Float32Array(rgb.length)
  for (let i = 0; i < size; i++) {
    planes[i] = (rgb[i * 3] ?? 0) / 255
    planes[i + size] = (rgb[i * 3 + 1] ?? 0) / 255
    planes[i + size * 2] = (rgb[i * 3 + 2] ?? 0) / 255
  }
  return planes
}

/** Decodes a picture and resizes it, without keeping its proportions, to what the model takes. */
export async function decodeForModel(picture: Uint8Array, size: readonly [number, number]): Promise<ModelInput> {
  // Asked first: the reader below would also interpret drawings, documents and what else its libraries know.
  if (pictureType(picture) === undefined)
    throw new DetectorError('invalid_image', 'neither a JPEG nor a PNG nor a WebP')
  try {
    const image = open(picture)
    const { autoOrient } = await image.metadata()
    const [width, height] = size
    const rgb = await asRgb(image.resize(width, height, { fit: 'fill', kernel: 'cubic' })).toBuffer()
    return { planes: toPlanes(rgb), width: autoOrient.width, height: autoOrient.height }
  } catch (err) {
    throw new DetectorError('invalid_image', err instanceof Error ? err.message : String(err), { cause: err })
  }
}

/** The picture as a JPEG with boxes drawn into it. On raw pixels: an SVG laid over it costs three times as much. */
export async function drawTagged(picture: Uint8Array, boxes: readonly Corners[]): Promise<Uint8Array> {
  const { data, info } = await asRgb(open(picture)).toBuffer({ resolveWithObject: true })
  const { width, height } = info
  drawBoxes({ data, width, height }, boxes)
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer()
}
