import sharp, { type Sharp } from 'sharp'
import { DetectorError } from '../detection/detector.js'
import { type Corners, drawBoxes } from '../detection/draw-boxes.js'
import type { Crop, LookOptions } from '../detection/cameras/look-options.js'
import { pictureType } from '../detection/picture-type.js'
import { within } from '../detection/context/polygon.js'
import { blank } from './detector-onnx-blank.js'
import { WHOLE } from './detector-onnx-output.js'
import { cut, pixelsOf, TILE_SHARE, thumbOf, tilesOf } from './detector-onnx-views.js'

// Reads and writes pictures for the detector. Runs in its worker thread.

/** More pixels than this are no snapshot but an attack: a few hundred bytes can unfold to gigabytes. */
const MAX_PIXELS = 24_000_000
const JPEG_QUALITY = 85

sharp.concurrency(1)
sharp.cache(false)

/** A part of a picture, in the size that the model takes. */
export interface View {
  /** Red, green and blue planes, 0 to 1. */
  readonly planes: Float32Array
  readonly region: Crop
  /** Whether it is a tile of what the first view shows. */
  readonly isTile?: true
}

/** A picture that was decoded for a model. */
export interface ModelInput {
  /** What the model is to look at, one after another; at least one. */
  readonly views: readonly View[]
  /** Size of the picture as it is shown, before it was made to fit the model. */
  readonly width: number
  readonly height: number
  /** The first view, small and grey (see {@link thumbOf}). */
  readonly thumb: Uint8Array
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

/** Decodes the part of a picture that is to be looked at, in `side` pixels each way, with what is to be ignored blanked. */
async function decodePart(
  image: Sharp,
  picture: { readonly width: number; readonly height: number },
  [width, height]: readonly [number, number],
  { crop, ignore }: LookOptions,
): Promise<Uint8Array> {
  const part = crop === undefined ? image : image.extract(pixelsOf(crop, picture.width, picture.height))
  const rgb = await asRgb(part.resize(width, height, { fit: 'fill', kernel: 'cubic' })).toBuffer()
  if (ignore !== undefined) {
    const polygons = ignore.map((polygon) => within(polygon, crop ?? WHOLE))
    blank(rgb, width, height, polygons)
  }
  return rgb
}

/** The whole part and its tiles, from pixels that are larger than the model's input by as much as a tile is smaller than the part. */
async function tiledViews(
  rgb: Uint8Array,
  [canvasWidth, canvasHeight]: readonly [number, number],
  [width, height]: readonly [number, number],
  region: Crop,
): Promise<View[]> {
  const raw = { width: canvasWidth, height: canvasHeight, channels: 3 } as const
  const whole = await asRgb(sharp(rgb, { raw }).resize(width, height, { fit: 'fill', kernel: 'cubic' })).toBuffer()
  const tiles = tilesOf(WHOLE).map((tile, i): View => {
    const pixels = { ...pixelsOf(tile, canvasWidth, canvasHeight), width, height }
    const left = Math.min(pixels.left, canvasWidth - width)
    const top = Math.min(pixels.top, canvasHeight - height)
    const planes = toPlanes(cut(rgb, canvasWidth, { ...pixels, left, top }))
    return { planes, region: tilesOf(region)[i] ?? region, isTile: true }
  })
  return [{ planes: toPlanes(whole), region }, ...tiles]
}

/** Decodes a picture and resizes what is to be looked at of it, without keeping proportions, to what the model takes. */
export async function decodeForModel(
  picture: Uint8Array,
  size: readonly [number, number],
  options: LookOptions,
): Promise<ModelInput> {
  // Asked first: the reader below would also interpret drawings, documents and what else its libraries know.
  if (pictureType(picture) === undefined)
    throw new DetectorError('invalid_image', 'neither a JPEG nor a PNG nor a WebP')
  try {
    const image = open(picture)
    const { autoOrient } = await image.metadata()
    const [width, height] = size
    const region = options.crop ?? WHOLE
    const canvas =
      options.tiles === true ? ([Math.round(width / TILE_SHARE), Math.round(height / TILE_SHARE)] as const) : size
    const rgb = await decodePart(image, autoOrient, canvas, options)
    const views =
      options.tiles === true ? await tiledViews(rgb, canvas, size, region) : [{ planes: toPlanes(rgb), region }]
    const thumb = thumbOf(views[0]?.planes ?? new Float32Array(), width, height)
    return { views, width: autoOrient.width, height: autoOrient.height, thumb }
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
