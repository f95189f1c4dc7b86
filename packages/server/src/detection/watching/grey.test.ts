import sharp from 'sharp'
import { expect, test } from 'vitest'
import { greyOf } from './grey.js'

/** What libvips makes of the same pixels. */
async function reference(pixels: Uint8Array, width: number, height: number, channels: 3 | 4): Promise<Uint8Array> {
  const image = sharp(pixels, { raw: { width, height, channels } })
  return image.removeAlpha().greyscale().raw().toBuffer()
}

const WIDTH = 96
const HEIGHT = 72

/** Pixels of every colour: each channel goes up at a pace of its own. */
const colours = (channels: number): Uint8Array =>
  Uint8Array.from({ length: WIDTH * HEIGHT * channels }, (_, at) => {
    const pixel = Math.floor(at / channels)
    return [pixel * 7, pixel * 3 + 40, pixel * 11 + 90, 255][at % channels] ?? 0
  })

test.each([3, 4] as const)(
  'of %i channels is what the picture library makes of it, within a level',
  async (channels) => {
    const pixels = colours(channels)
    const grey = greyOf(pixels, channels)
    const expected = await reference(pixels, WIDTH, HEIGHT, channels)
    expect(grey).toHaveLength(WIDTH * HEIGHT)
    const apart = grey.map((value, at) => Math.abs(value - (expected[at] ?? 0)))
    expect(Math.max(...apart)).toBeLessThanOrEqual(1)
  },
)

test.each([1, 2])('of %i channels stays as it is, whatever is transparent', (channels) => {
  const pixels = Uint8Array.from({ length: 20 * channels }, (_, at) => (at % channels === 0 ? at : 9))
  expect([...greyOf(pixels, channels)]).toEqual(Array.from({ length: 20 }, (_, index) => index * channels))
})
