import type { PictureChange } from '../config/camera-config.js'
import { CameraError } from '../camera.js'
import { stripJpeg } from './jpeg-metadata.js'
import { readPicture } from './picture.js'
import { loadSharp } from './sharp.js'

/** A picture as it goes to the server. */
export interface FinishedPicture {
  readonly bytes: Uint8Array
  readonly size: { readonly width: number; readonly height: number }
}

/** The server takes 8 MiB and 24 megapixels by default. What comes near is made smaller, as if `max_size` asked for it. */
const LARGE_BYTES = 6 * 1024 * 1024
const LARGE_PIXELS = 20_000_000
const LARGE_SIZE = 1920
/**
 * Beyond this a picture is a bomb: its few bytes would fill the memory. Turning a progressive JPEG of this size takes about 150 MB, which
 * an installed agent just has.
 */
const MAX_PIXELS = 25_000_000
/** What is smaller than this is no picture of a printer: some cameras answer so while they have none. */
const MIN_SIDE = 16

/**
 * Makes a picture upright, then mirrors, turns and shrinks it as configured, in this order, as OctoPrint does. A JPEG that needs
 * none of it passes through as it is. Nothing leaves that tells more than the pixels: no place, no time, no maker.
 *
 * @throws {CameraError} when the bytes are no whole picture
 */
export async function finishPicture(bytes: Uint8Array, change: PictureChange): Promise<FinishedPicture> {
  const { format, ...read } = readPicture(bytes)
  const size = read.size ?? (await decodedSize(bytes))
  checkSize(size)
  const isLarge = bytes.length > LARGE_BYTES || size.width * size.height > LARGE_PIXELS
  const maxSize = isLarge ? Math.min(change.maxSize ?? LARGE_SIZE, LARGE_SIZE) : change.maxSize
  const fits = maxSize === undefined || Math.max(size.width, size.height) <= maxSize
  const stripped = format === 'jpeg' ? stripJpeg(bytes) : { bytes, orientation: 1 }
  const stays = !change.flipH && !change.flipV && change.rotation === 0 && stripped.orientation === 1
  // A JPEG whose bytes are many but whose size is small is encoded anew all the same.
  if (format === 'jpeg' && fits && stays && !isLarge) return { bytes: stripped.bytes, size }

  const sharp = await loadSharp()
  const image = sharp(bytes, { limitInputPixels: MAX_PIXELS }).autoOrient()
  if (change.flipH) image.flop()
  if (change.flipV) image.flip()
  if (change.rotation !== 0) image.rotate(change.rotation)
  if (!fits && maxSize !== undefined)
    image.resize({ width: maxSize, height: maxSize, fit: 'inside', withoutEnlargement: true })
  const { data, info } = await image
    // Optimised coding saves a few per cent of the bytes, and holds the whole picture's coefficients in memory for it.
    .jpeg({ quality: 85, optimiseCoding: false })
    .toBuffer({ resolveWithObject: true })
    .catch((error: unknown) => {
      throw new CameraError('the picture cannot be read', { cause: error })
    })
  checkSize(info)
  return { bytes: data, size: { width: info.width, height: info.height } }
}

/** As the picture's header says, without decoding it. */
async function decodedSize(bytes: Uint8Array): Promise<{ width: number; height: number }> {
  const sharp = await loadSharp()
  const { width, height } = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => {
      throw new CameraError('the picture cannot be read', { cause: error })
    })
  return { width, height }
}

function checkSize({ width, height }: { width: number; height: number }): void {
  if (width * height > MAX_PIXELS) throw new CameraError('the picture has too many pixels')
  if (Math.min(width, height) < MIN_SIDE) throw new CameraError(`the picture has only ${width} × ${height} pixels`)
}
