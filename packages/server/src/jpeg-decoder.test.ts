import sharp from 'sharp'
import { expect, test } from 'vitest'
import { withGrey } from './jpeg-decoder.js'

const SIZE = { width: 96, height: 64 }
const PIXELS = SIZE.width * SIZE.height

async function jpegOf(level: number): Promise<Buffer> {
  return sharp({ create: { ...SIZE, channels: 3, background: { r: level, g: level, b: level } } })
    .jpeg()
    .toBuffer()
}

/** Each level that there is, but for one up or down: how the library works is quick rather than exact. */
const levelsOf = (grey: Uint8Array | undefined, level: number): number[] =>
  [...new Set(grey)].map((value) => (Math.abs(value - level) <= 1 ? level : value))

const copy = (grey: Uint8Array): Uint8Array => Uint8Array.from(grey)

// On machines that the library was not built for these fail, and pictures cost more: the server works all the same.

test('the brightness of each pixel', async () => {
  const grey = await withGrey(await jpegOf(90), PIXELS, copy)
  expect(grey).toHaveLength(PIXELS)
  expect(new Set(levelsOf(grey, 90))).toEqual(new Set([90]))
})

test('of a colour it is what the format says', async () => {
  const red = sharp({ create: { ...SIZE, channels: 3, background: '#f00' } })
  const grey = await withGrey(await red.jpeg({ quality: 100 }).toBuffer(), PIXELS, copy)
  expect(Math.abs((grey?.[0] ?? 0) - 0.299 * 255)).toBeLessThan(3)
})

test('pictures at the same time do not get into each other', async () => {
  const levels = Array.from({ length: 40 }, (_, index) => index * 6)
  const jpegs = await Promise.all(levels.map(jpegOf))
  const greys = await Promise.all(jpegs.map(async (jpeg) => withGrey(jpeg, PIXELS, copy)))
  const found = greys.map((grey, index) => new Set(levelsOf(grey, levels[index] ?? -1)))
  expect(found).toEqual(levels.map((level) => new Set([level])))
})

test('memory of a larger picture serves a smaller one', async () => {
  const large = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#fff' } })
    .jpeg()
    .toBuffer()
  expect(await withGrey(large, 640 * 480, ({ length }) => length)).toBe(640 * 480)
  const grey = await withGrey(await jpegOf(30), PIXELS, copy)
  expect(grey).toHaveLength(PIXELS)
  expect(new Set(levelsOf(grey, 30))).toEqual(new Set([30]))
})

const whole = await jpegOf(120)
const noise = Buffer.from(Uint8Array.from({ length: PIXELS * 3 }, (_, at) => (at * 7919) % 256))
const detailed = await sharp(noise, { raw: { ...SIZE, channels: 3 } })
  .jpeg()
  .toBuffer()

test.each([
  ['that is cut off', detailed.subarray(0, detailed.length / 2)],
  ['without its end', detailed.subarray(0, -40)],
  ['of no pixels', whole.subarray(0, 20)],
  ['of another format', await sharp(whole).png().toBuffer()],
])('a picture %s is left to others', async (_, bytes) => {
  expect(await withGrey(bytes, PIXELS, copy)).toBeUndefined()
})

test.each([PIXELS - 1, PIXELS + 1])('and one that has not the %i pixels that it is said to have', async (pixels) => {
  expect(await withGrey(whole, pixels, copy)).toBeUndefined()
})
