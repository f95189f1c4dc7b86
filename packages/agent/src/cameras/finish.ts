import type { PictureChange } from '../camera-config.js'
import { CameraError } from '../camera.js'
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
/** Beyond this a picture is a bomb: its few bytes would fill the memory. */
const MAX_PIXELS = 50_000_000

/**
 * Mirrors, turns and shrinks a picture as configured, in this order, as OctoPrint does. A JPEG that needs none of it passes
 * through untouched.
 *
 * @throws {CameraError} when the bytes are no whole picture
 */
export async function finishPicture(bytes: Uint8Array, change: PictureChange): Promise<FinishedPicture> {
  const { size } = readPicture(bytes)
  if (size && size.width * size.height > MAX_PIXELS) throw new CameraError('the picture has too many pixels')
  const isLarge = bytes.length > LARGE_BYTES || (size !== null && size.width * size.height > LARGE_PIXELS)
  const maxSize = isLarge ? Math.min(change.maxSize ?? LARGE_SIZE, LARGE_SIZE) : change.maxSize
  const fits = size !== null && (maxSize === undefined || Math.max(size.width, size.height) <= maxSize)
  const stays = !change.flipH && !change.flipV && change.rotation === 0
  // A JPEG whose bytes are many but whose size is small is encoded anew all the same.
  if (size && fits && stays && !isLarge) return { bytes, size }

  const sharp = await loadSharp()
  const image = sharp(bytes, { limitInputPixels: MAX_PIXELS })
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
  return { bytes: data, size: { width: info.width, height: info.height } }
}
