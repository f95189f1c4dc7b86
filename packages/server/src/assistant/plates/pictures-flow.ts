import { checkPicture, MAX_PIXELS } from '../../detection/service/check-picture-flow.js'
import { ApiError } from '../../errors.js'
import { pictureLibrary } from '../../picture-library.js'
import type { ModelPicture } from '../model.js'

/** Models look at pictures of about this size; more only costs time. */
const LONGEST_SIDE = 1024
const QUALITY = 85

/** As a data URL, or as it is. Blanks and line ends in it are tolerated, as decoders of base64 do. */
const DATA_URL = /^data:image\/[a-z+.-]{1,20};base64,/i
const BLANKS = /\s+/g
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/**
 * Pictures of a plate as a model is shown them: decoded and drawn anew, so that nothing but what can be seen leaves the server.
 * @throws {ApiError} invalid_image, too_large
 */
export async function readPlatePictures(images: readonly string[], maxBytes: number): Promise<ModelPicture[]> {
  const pictures: ModelPicture[] = []
  // One after another: a large picture takes a hundred megabytes while it is decoded.
  for (const [index, image] of images.entries()) pictures.push(await readPicture(image, index, maxBytes))
  return pictures
}

async function readPicture(image: string, index: number, maxBytes: number): Promise<ModelPicture> {
  const path = `images.${index}`
  const text = image.replace(DATA_URL, '').replace(BLANKS, '')
  if (!BASE64.test(text)) throw invalid(path, 'is no base64 of a picture')
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length > maxBytes) throw new ApiError('too_large', `A picture may have ${maxBytes} bytes.`)
  const checked = await checkPicture(bytes)
  try {
    return { bytes: await drawnAnew(checked.bytes), type: 'image/jpeg' }
  } catch (err) {
    throw invalid(path, 'cannot be decoded', err)
  }
}

/** A picture decoded and drawn anew as a JPEG, upright by its own word, and not larger than a model looks at. @throws when it cannot be */
export async function drawnAnew(bytes: Uint8Array): Promise<Buffer> {
  const sharp = await pictureLibrary()
  return sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    .autoOrient()
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: 'white' })
    .jpeg({ quality: QUALITY })
    .toBuffer()
}

const invalid = (path: string, message: string, cause?: unknown): ApiError =>
  new ApiError('invalid_image', undefined, { issues: [{ path, message }], cause })
