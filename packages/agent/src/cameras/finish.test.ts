import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { CameraError } from '../camera.js'
import type { PictureChange } from '../config/camera-config.js'
import { finishPicture } from './finish.js'
import { readPicture } from './picture.js'

const AS_IT_IS: PictureChange = { flipH: false, flipV: false, rotation: 0, maxSize: undefined }

/** Four fields: red and green above, blue and white below. */
let jpeg: Buffer
let png: Buffer
beforeAll(async () => {
  const fields = [
    { input: field('red'), left: 0, top: 0 },
    { input: field('lime'), left: 40, top: 0 },
    { input: field('blue'), left: 0, top: 30 },
    { input: field('white'), left: 40, top: 30 },
  ]
  png = await sharp({ create: { width: 80, height: 60, channels: 3, background: 'black' } })
    .composite(await Promise.all(fields.map(async ({ input, ...at }) => ({ input: await input, ...at }))))
    .png()
    .toBuffer()
  jpeg = await sharp(png).jpeg({ quality: 95 }).toBuffer()
})

function field(background: string): Promise<Buffer> {
  return sharp({ create: { width: 40, height: 30, channels: 3, background } })
    .png()
    .toBuffer()
}

/** The names of the four fields, row by row. */
async function fieldsOf(bytes: Uint8Array): Promise<string> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const names = [0.25, 0.75].flatMap((y) =>
    [0.25, 0.75].map((x) => {
      const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * 3
      const [r = 0, g = 0, b = 0] = data.subarray(at, at + 3)
      if (r > 128 && g > 128 && b > 128) return 'W'
      return r > 128 ? 'R' : g > 128 ? 'G' : 'B'
    }),
  )
  return names.join('')
}

test('a JPEG that needs no change is passed on untouched, and the library is not even asked', async () => {
  const { bytes, size } = await finishPicture(jpeg, AS_IT_IS)
  expect(bytes).toBe(jpeg)
  expect(size).toEqual({ width: 80, height: 60 })
})

test.each([
  { name: 'mirrored left to right', change: { flipH: true }, fields: 'GRWB', width: 80 },
  { name: 'mirrored top to bottom', change: { flipV: true }, fields: 'BWRG', width: 80 },
  { name: 'turned by 90 degrees, clockwise', change: { rotation: 90 }, fields: 'BRWG', width: 60 },
  { name: 'turned by 180 degrees', change: { rotation: 180 }, fields: 'WBGR', width: 80 },
  { name: 'turned by 270 degrees', change: { rotation: 270 }, fields: 'GWRB', width: 60 },
  { name: 'first mirrored, then turned', change: { flipH: true, rotation: 90 }, fields: 'WGBR', width: 60 },
  { name: 'made smaller', change: { maxSize: 40 }, fields: 'RGBW', width: 40 },
  { name: 'turned and made smaller', change: { maxSize: 40, rotation: 90 }, fields: 'BRWG', width: 30 },
])('$name', async ({ change, fields, width }) => {
  const { bytes, size } = await finishPicture(jpeg, { ...AS_IT_IS, ...change })
  expect(await fieldsOf(bytes)).toBe(fields)
  expect(size.width).toBe(width)
  expect(readPicture(bytes).size).toEqual(size)
})

test('a picture within max_size is not made larger, nor encoded anew', async () => {
  expect((await finishPicture(jpeg, { ...AS_IT_IS, maxSize: 80 })).bytes).toBe(jpeg)
})

test('PNG and WebP leave as JPEG', async () => {
  const webp = await sharp(png).webp().toBuffer()
  for (const bytes of [png, webp]) {
    const finished = await finishPicture(bytes, AS_IT_IS)
    expect(readPicture(finished.bytes).format).toBe('jpeg')
    expect(finished.size).toEqual({ width: 80, height: 60 })
  }
})

test('a picture that is too heavy for the server is made smaller', async () => {
  const noise = Buffer.from(Array.from({ length: 2800 * 1900 * 3 }, (_, index) => (index * 2_654_435_761) % 251))
  const heavy = await sharp(noise, { raw: { width: 2800, height: 1900, channels: 3 } })
    .jpeg({ quality: 100 })
    .toBuffer()
  expect(heavy.length).toBeGreaterThan(6 * 1024 * 1024)
  const { bytes, size } = await finishPicture(heavy, AS_IT_IS)
  expect(size.width).toBe(1920)
  expect(bytes.length).toBeLessThan(6 * 1024 * 1024)
})

/** The JPEG with another size in its frame header, whose data is then too short by far. */
function pretending(width: number, height: number): Buffer {
  const bytes = Buffer.from(jpeg)
  const at = bytes.indexOf(Buffer.from([0xff, 0xc0]))
  bytes.writeUInt16BE(height, at + 5)
  bytes.writeUInt16BE(width, at + 7)
  return bytes
}

test('a decompression bomb is not even opened', async () => {
  await expect(finishPicture(pretending(60_000, 60_000), AS_IT_IS)).rejects.toThrow('too many pixels')
})

describe('what is no whole picture is refused, with the reason', () => {
  test.each([
    { name: 'nothing', bytes: () => Buffer.alloc(0), says: 'empty' },
    { name: 'a web page', bytes: () => Buffer.from('<!doctype html><title>Login'), says: '<!doctype html>' },
    { name: 'the first half of a JPEG', bytes: () => jpeg.subarray(0, jpeg.length / 2), says: 'cut off' },
    { name: 'only the start of a JPEG', bytes: () => jpeg.subarray(0, 30), says: 'cut off' },
    { name: 'a JPEG without its end mark', bytes: () => jpeg.subarray(0, jpeg.length - 2), says: 'cut off' },
    {
      name: 'a JPEG with rubbish inside',
      bytes: () => Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(50)]),
      says: 'damaged',
    },
    { name: 'half a PNG', bytes: () => png.subarray(0, png.length / 2), says: 'cannot be read' },
  ])('$name', async ({ bytes, says }) => {
    const error = await finishPicture(bytes(), AS_IT_IS).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(CameraError)
    expect(error instanceof Error ? error.message : '').toContain(says)
  })
})

test('padding after the end mark, as some cameras add, is no harm', async () => {
  const padded = Buffer.concat([jpeg, Buffer.alloc(500)])
  expect((await finishPicture(padded, AS_IT_IS)).size).toEqual({ width: 80, height: 60 })
})

describe('nothing leaves that tells more than the pixels', () => {
  const told = { IFD0: { Make: 'Secret Maker' }, IFD3: { GPSLatitude: '48/1 8/1 0/1' } }
  const sharpSays = async (bytes: Uint8Array) => {
    const { exif, comments, width, height, xmp } = await sharp(bytes).metadata()
    return { exif, comments, xmp, width, height }
  }

  test('of a JPEG that passes through, whose pixels stay the same', async () => {
    const bare = await sharp(jpeg).toBuffer()
    const tagged = await sharp(jpeg).withExif(told).toBuffer()
    expect(tagged.includes('Secret Maker')).toBe(true)
    const { bytes } = await finishPicture(tagged, AS_IT_IS)
    expect(Buffer.from(bytes).includes('Secret Maker')).toBe(false)
    expect(await sharpSays(bytes)).toMatchObject({ exif: undefined, xmp: undefined, width: 80 })
    expect(Buffer.compare(await sharp(bytes).raw().toBuffer(), await sharp(bare).raw().toBuffer())).toBe(0)
  })

  test('of a JPEG that is encoded anew', async () => {
    const tagged = await sharp(jpeg).withExif(told).toBuffer()
    const { bytes } = await finishPicture(tagged, { ...AS_IT_IS, flipH: true })
    expect(await sharpSays(bytes)).toMatchObject({ exif: undefined })
  })

  test('a comment goes, the colours stay', async () => {
    const comment = Buffer.from([0xff, 0xfe, 0, 8, ...Buffer.from('secret')])
    const commented = Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)])
    const { bytes } = await finishPicture(commented, AS_IT_IS)
    expect(Buffer.compare(Buffer.from(bytes), jpeg)).toBe(0)
    const profiled = await sharp(jpeg).withIccProfile('p3').toBuffer()
    expect((await sharp((await finishPicture(profiled, AS_IT_IS)).bytes).metadata()).icc).toBeDefined()
  })
})

test.each([
  { orientation: 1, fields: 'RGBW', width: 80 },
  { orientation: 3, fields: 'WBGR', width: 80 },
  { orientation: 6, fields: 'BRWG', width: 60 },
  { orientation: 8, fields: 'GWRB', width: 60 },
])('a camera that was held as EXIF $orientation gives an upright picture', async ({ orientation, fields, width }) => {
  const held = await sharp(jpeg).withMetadata({ orientation }).toBuffer()
  const { bytes, size } = await finishPicture(held, AS_IT_IS)
  expect(await fieldsOf(bytes)).toBe(fields)
  expect(size.width).toBe(width)
  expect((await sharp(bytes).metadata()).orientation).toBeUndefined()
})

test('a picture of next to nothing is none', async () => {
  const dot = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
  await expect(finishPicture(await dot.clone().jpeg().toBuffer(), AS_IT_IS)).rejects.toThrow('only 1 × 1 pixels')
  await expect(finishPicture(await dot.clone().png().toBuffer(), AS_IT_IS)).rejects.toThrow('only 1 × 1 pixels')
})

// A few hundred kilobytes each, that would become a few hundred megabytes.
test.each(['png', 'jpeg'] as const)(
  'a %s of more pixels than any camera has is refused before it is decoded',
  async (format) => {
    const bomb = sharp({ create: { width: 5_100, height: 5_000, channels: 3, background: 'grey' } })
    const bytes = await bomb.toFormat(format).toBuffer()
    await expect(finishPicture(bytes, AS_IT_IS)).rejects.toThrow('too many pixels')
  },
)

test('a PNG that the server would refuse for its size is made smaller', async () => {
  const large = sharp({ create: { width: 5_000, height: 4_900, channels: 3, background: 'grey' } })
  expect((await finishPicture(await large.png().toBuffer(), AS_IT_IS)).size).toEqual({ width: 1920, height: 1882 })
})
