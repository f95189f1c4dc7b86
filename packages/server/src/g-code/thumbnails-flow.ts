import { pictureLibrary } from '../picture-library.js'
import { decodeQoi } from './qoi.js'
import { byPromise, type SaidSize, MAX_THUMBNAIL_PIXELS, pictureFormatOf } from './thumbnails.js'

/** A picture of what the file prints, encoded anew as PNG. */
export interface GCodeThumbnail {
  readonly width: number
  readonly height: number
  readonly png: Uint8Array
}

const MAX_THUMBNAILS = 3
/** Pictures that cannot be decoded cost a try each. */
const MAX_TRIES = 12
/** These are decoded here and not by the library's own threads. */
const MAX_QOI_PIXELS = 1_100_000
/** Larger ones are made smaller, so that what is kept stays small. */
const MAX_SIDE = 1024

/**
 * Decodes the largest thumbnails and encodes them as PNG: what is kept is never the user's own bytes.
 * @param read the bytes of one of them; undefined where it has none
 */
export async function encodeThumbnails<T extends SaidSize>(
  candidates: readonly T[],
  read: (candidate: T) => Promise<Uint8Array | undefined>,
): Promise<GCodeThumbnail[]> {
  const thumbnails: GCodeThumbnail[] = []
  for (const candidate of byPromise(candidates).slice(0, MAX_TRIES)) {
    if (thumbnails.length === MAX_THUMBNAILS) break
    const bytes = await read(candidate)
    const thumbnail = bytes && (await encode(bytes))
    if (thumbnail) thumbnails.push(thumbnail)
  }
  return thumbnails.sort((one, other) => other.width * other.height - one.width * one.height)
}

async function encode(bytes: Uint8Array): Promise<GCodeThumbnail | undefined> {
  const format = pictureFormatOf(bytes)
  // Only what is known by its first bytes: the library would also open formats that run code of the user, such as SVG.
  if (format === undefined) return undefined
  const raw = format === 'qoi' ? decodeQoi(bytes, MAX_QOI_PIXELS) : undefined
  if (format === 'qoi' && raw === undefined) return undefined
  const sharp = await pictureLibrary()
  try {
    const limits = { limitInputPixels: MAX_THUMBNAIL_PIXELS, failOn: 'error' } as const
    const picture = raw === undefined ? sharp(bytes, limits) : sharp(raw.pixels, { ...limits, raw })
    const { data, info } = await picture
      .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer({ resolveWithObject: true })
    return { width: info.width, height: info.height, png: data }
  } catch {
    return undefined // damaged, cut off or too large: a file without this picture is as good
  }
}
