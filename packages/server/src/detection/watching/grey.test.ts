import sharp from 'sharp'
import { expect, test } from 'vitest'
import { withGrey } from '../../jpeg-decoder.js'
import { greyOf } from './grey.js'

const SIZE = { width: 96, height: 72 }
const PIXELS = SIZE.width * SIZE.height

/** Colours in large areas, which a JPEG keeps: each channel goes up at a pace of its own. */
const colours = (channels: 3 | 4): Uint8Array =>
  Uint8Array.from({ length: PIXELS * channels }, (_, at) => {
    const pixel = Math.floor(at / channels)
    const area = Math.floor((pixel % SIZE.width) / 16) + 6 * Math.floor(pixel / SIZE.width / 16)
    return [area * 47, area * 31 + 40, area * 83 + 90, 255][at % channels] ?? 0
  })

test.each([3, 4] as const)('of %i channels is what a JPEG of the same pixels says', async (channels) => {
  const pixels = colours(channels)
  const image = sharp(pixels, { raw: { ...SIZE, channels } })
  const jpeg = await image.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()
  const said = await withGrey(jpeg, PIXELS, (grey) => Uint8Array.from(grey))
  const apart = greyOf(pixels, channels).map((value, at) => Math.abs(value - (said?.[at] ?? -100)))
  expect(apart).toHaveLength(PIXELS)
  expect(Math.max(...apart)).toBeLessThanOrEqual(3)
})

test.each([1, 2])('of %i channels stays as it is, whatever is transparent', (channels) => {
  const pixels = Uint8Array.from({ length: 20 * channels }, (_, at) => (at % channels === 0 ? at : 9))
  expect([...greyOf(pixels, channels)]).toEqual(Array.from({ length: 20 }, (_, index) => index * channels))
})
