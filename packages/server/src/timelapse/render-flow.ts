import type { Sharp } from 'sharp'
import { MAX_PIXELS } from '../detection/service/check-picture-flow.js'
import { type Corners, drawBoxes, type Pixels } from '../detection/draw-boxes.js'
import { pictureLibrary } from '../picture-library.js'
import { mirroredFirst, type Orientation, type Size } from './orientation.js'

const POSTER_QUALITY = 85

/** Decodes a picture to RGB; undefined when it cannot be, whatever is the matter with it. */
export async function decodePicture(bytes: Uint8Array): Promise<Pixels | undefined> {
  const sharp = await pictureLibrary()
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true })
    const { data, info } = await image.removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
    if (info.channels !== 3) return undefined
    return { data, width: info.width, height: info.height }
  } catch {
    return undefined
  }
}

/** A copy of the picture with boxes in it. */
export function withBoxes(pixels: Pixels, boxes: readonly Corners[]): Pixels {
  const copy = { ...pixels, data: Uint8Array.from(pixels.data) }
  drawBoxes(copy, boxes)
  return copy
}

async function ofPixels({ data, width, height }: Pixels): Promise<Sharp> {
  const sharp = await pictureLibrary()
  return sharp(data, { raw: { width, height, channels: 3 } })
}

const isUpright = ({ rotation, flipV, flipH }: Orientation): boolean => rotation === 0 && !flipV && !flipH

/**
 * The picture as a frame of a video whose frames have `size` before they are turned. One of another shape is fitted in, with black
 * beside it; one that is too small by a row or column gets a black one.
 */
export async function frameOf(pixels: Pixels, size: Size, orientation: Orientation): Promise<Uint8Array> {
  const isSized = pixels.width === size.width && pixels.height === size.height
  if (isSized && isUpright(orientation)) return pixels.data
  const sized = await (isSized ? ofPixels(pixels) : fitted(pixels, size))
  const { rotation, flipV, flipH } = mirroredFirst(orientation)
  return sized.flip(flipV).flop(flipH).rotate(rotation).raw().toBuffer()
}

async function fitted(pixels: Pixels, { width, height }: Size): Promise<Sharp> {
  const right = width - pixels.width
  const bottom = height - pixels.height
  const image = await ofPixels(pixels)
  // One row or column to make the sides even: the picture itself stays as it is.
  const isPadded = right >= 0 && right <= 1 && bottom >= 0 && bottom <= 1
  const done = isPadded
    ? image.extend({ right, bottom, background: '#000' })
    : image.resize(width, height, { fit: 'contain', background: '#000' })
  const { data, info } = await done.raw().toBuffer({ resolveWithObject: true })
  return ofPixels({ data, width: info.width, height: info.height })
}

/** The picture that stands for the video: a frame of it, as JPEG. */
export async function posterOf(frame: Uint8Array, { width, height }: Size): Promise<Buffer> {
  const sharp = await pictureLibrary()
  return sharp(frame, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: POSTER_QUALITY })
    .toBuffer()
}
