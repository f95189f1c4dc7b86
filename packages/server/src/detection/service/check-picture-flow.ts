import { ApiError } from '../../errors.js'
import { withGrey } from '../../jpeg-decoder.js'
import { pictureLibrary } from '../../picture-library.js'
import { pictureType } from '../picture-type.js'
import { plainJpegSize } from '../plain-jpeg.js'
import { greyOf } from '../watching/grey.js'
import { canShrink, shrink } from '../watching/shrink.js'
import { THUMBNAIL, type Thumbnail } from '../watching/thumbnail.js'

/** A picture that can be decoded. */
export interface Picture {
  readonly bytes: Buffer
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp'
}

/** A picture and how it looks from afar. */
export interface CheckedPicture extends Picture {
  readonly thumbnail: Thumbnail
}

/** Larger pictures are refused before they are decoded (decision 10). */
export const MAX_PIXELS = 24_000_000

/** Larger ones cost less where they are reduced while decoding. */
const MAX_PLAIN_PIXELS = 4_000_000

const TOO_MANY_PIXELS = `A picture may have ${MAX_PIXELS / 1_000_000} megapixels.`

/** The library tells its limit by words alone. */
const isTooManyPixels = (err: unknown): boolean => err instanceof Error && err.message.includes('exceeds pixel limit')

/**
 * Looks at an uploaded picture: what it is, how large, and whether all of it can be decoded.
 * @throws {ApiError} invalid_image
 */
export async function checkPicture(bytes: Buffer): Promise<CheckedPicture> {
  const type = pictureType(bytes)
  if (type === undefined) throw new ApiError('invalid_image', 'The file is no JPEG, PNG or WebP.')
  const thumbnail = (await thumbnailOfPlainJpeg(bytes)) ?? (await thumbnailOf(bytes))
  return { bytes, type, thumbnail }
}

/** How pictures of most webcams look; undefined for all others, and where anything is the matter, so that one library says what is wrong. */
async function thumbnailOfPlainJpeg(bytes: Buffer): Promise<Thumbnail | undefined> {
  const size = plainJpegSize(bytes)
  if (size === undefined) return undefined
  const { width, height } = size
  if (!canShrink(width) || width * height > MAX_PLAIN_PIXELS) return undefined
  return withGrey(bytes, width * height, (grey) => shrink(grey, width, height))
}

async function thumbnailOf(bytes: Buffer): Promise<Thumbnail> {
  const sharp = await pictureLibrary()
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true })
    // Reduced while decoding, so that a large JPEG costs little; what is cut off or damaged fails all the same.
    const { width, height } = THUMBNAIL
    const small = image.resize(width, height, { fit: 'fill' }).toColourspace('srgb').raw()
    const { data, info } = await small.toBuffer({ resolveWithObject: true })
    return { width, height, grey: greyOf(data, info.channels) }
  } catch (err) {
    throw new ApiError('invalid_image', isTooManyPixels(err) ? TOO_MANY_PIXELS : undefined, { cause: err })
  }
}
