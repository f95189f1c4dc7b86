import sharp, { type Sharp } from 'sharp'
import { expect, test } from 'vitest'
import { withGrey } from '../../jpeg-decoder.js'
import { plainJpegSize } from '../plain-jpeg.js'
import { compare, type Thumbnail } from '../watching/thumbnail.js'
import { checkPicture } from './check-picture-flow.js'

// Nearly all JPEGs are read by one library and everything else by another: a picture must be judged alike, whichever read it.

const SIZE = { width: 1280, height: 720 }
const PLATE = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}">
<rect width="100%" height="100%" fill="#38424a"/><rect x="12%" y="55%" width="76%" height="32%" fill="#6d5a3d"/>
<circle cx="50%" cy="56%" r="14%" fill="#d2722c"/><circle cx="20%" cy="20%" r="9%" fill="#2c4cd2"/></svg>`

const plate = (): Sharp => sharp(Buffer.from(PLATE)).flatten()
const thumbnailOf = async (picture: Sharp): Promise<Thumbnail> =>
  (await checkPicture(await picture.toBuffer())).thumbnail

test.each([
  ['a progressive JPEG', () => plate().jpeg({ progressive: true })],
  ['a PNG', () => plate().png()],
  ['a WebP', () => plate().webp({ quality: 95 })],
  ['a grey JPEG', () => plate().greyscale().jpeg()],
  ['a JPEG that is small', () => plate().resize(320, 180).jpeg()],
  ['a JPEG that is large', () => plate().resize(3840, 2160).jpeg()],
])('%s looks like a usual JPEG of it', async (name, make) => {
  const usual = name.startsWith('a grey') ? plate().greyscale().toColourspace('srgb').jpeg() : plate().jpeg()
  expect(compare(await thumbnailOf(make()), await thumbnailOf(usual)).mean).toBeLessThan(1)
})

const jpeg = await plate().jpeg().toBuffer()

test.each([
  ['cut off', jpeg.subarray(0, jpeg.length / 2)],
  ['without its last bytes', jpeg.subarray(0, -30)],
  ['with nothing behind its size', jpeg.subarray(0, 200)],
  ['of noise behind its beginning', Buffer.concat([jpeg.subarray(0, 3), Buffer.alloc(4000, 0x5a)])],
])('a JPEG that is %s is refused', async (_, bytes) => {
  await expect(checkPicture(bytes)).rejects.toMatchObject({ code: 'invalid_image' })
})

/** A repeatable whole number below `limit`. */
let seed = 7
function below(limit: number): number {
  seed = (seed * 16_807) % 2_147_483_647
  return seed % limit
}

/** What happens to files: cut off, bytes changed anywhere or in the head, a piece missing. */
const DAMAGES: readonly ((bytes: Buffer) => Buffer)[] = [
  (bytes) => bytes.subarray(0, 20 + below(bytes.length - 20)),
  (bytes) => changed(bytes, bytes.length),
  (bytes) => changed(bytes, 640),
  (bytes) => {
    const at = below(bytes.length)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + below(400))])
  },
]

function changed(bytes: Buffer, length: number): Buffer {
  const copy = Buffer.from(bytes)
  for (let count = 1 + below(3); count > 0; count--) copy[below(length)] = below(256)
  return copy
}

async function isDecodedAlone(bytes: Buffer): Promise<boolean> {
  const size = plainJpegSize(bytes)
  if (size === undefined || size.width * size.height > 4_000_000) return false
  return (await withGrey(bytes, size.width * size.height, () => true)) === true
}

const isTakenBySharp = async (bytes: Buffer): Promise<boolean> =>
  sharp(bytes, { failOn: 'error' })
    .raw()
    .toBuffer()
    .then(
      () => true,
      () => false,
    )

test('of damaged pictures the one library takes none that the other refuses', async () => {
  const small = await plate().resize(320, 180).jpeg().toBuffer()
  const taken = { alone: 0, bySharp: 0 }
  for (let count = 0; count < 400; count++) {
    const bytes = DAMAGES[count % DAMAGES.length]?.(small) ?? small
    const [alone, bySharp] = await Promise.all([isDecodedAlone(bytes), isTakenBySharp(bytes)])
    taken.alone += Number(alone)
    taken.bySharp += Number(bySharp)
    if (alone) expect(bySharp).toBe(true)
  }
  expect(taken.alone).toBeGreaterThan(20)
  expect(taken.alone).toBeLessThan(taken.bySharp)
  expect(taken.bySharp).toBeLessThan(400)
}, 30_000)
