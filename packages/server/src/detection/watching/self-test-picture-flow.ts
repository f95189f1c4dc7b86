import { pictureLibrary } from '../../picture-library.js'
import type { Crop } from '../cameras/look-options.js'

// The picture of a known failure, turned over and moved, so that the failure is in another place of it.

/** How it is turned over. */
export interface Turn {
  readonly flip: boolean
  readonly flop: boolean
}

export const TURNS: readonly Turn[] = [
  { flip: false, flop: false },
  { flip: false, flop: true },
  { flip: true, flop: false },
  { flip: true, flop: true },
]

/** The longest side of a picture that has room around the crop. */
const MAX_SIDE = 2560

/** The picture turned over; with a crop, it fills the crop of a larger one. JPEG. */
export async function turnedInto(bytes: Uint8Array, { flip, flop }: Turn, crop: Crop | null): Promise<Buffer> {
  const sharp = await pictureLibrary()
  const image = sharp(bytes).flip(flip).flop(flop)
  if (crop === null) return image.jpeg({ quality: 92 }).toBuffer()
  const { width, height } = await sharp(bytes).metadata()
  const scale = Math.min(1, MAX_SIDE / Math.max(width / crop.width, height / crop.height))
  const size = (share: number, side: number): number => Math.max(1, Math.round(share * side * scale))
  const [whole, part] = [
    { width: size(1 / crop.width, width), height: size(1 / crop.height, height) },
    { width: size(1, width), height: size(1, height) },
  ]
  const left = Math.min(whole.width - part.width, Math.round(crop.x * whole.width))
  const top = Math.min(whole.height - part.height, Math.round(crop.y * whole.height))
  const input = await image.resize(part.width, part.height, { fit: 'fill' }).png().toBuffer()
  return sharp({ create: { ...whole, channels: 3, background: '#444' } })
    .composite([{ input, left: Math.max(0, left), top: Math.max(0, top) }])
    .jpeg({ quality: 92 })
    .toBuffer()
}
