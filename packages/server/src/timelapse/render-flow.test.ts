import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { Orientation } from './orientation.js'
import { decodePicture, frameOf, posterOf, withBoxes } from './render-flow.js'

const RED = [255, 0, 0]
const BLACK = [0, 0, 0]

/** A picture of 4 × 2 pixels with one red pixel in the upper left corner. */
function cornered(): { data: Uint8Array; width: number; height: number } {
  const data = new Uint8Array(4 * 2 * 3)
  data.set(RED, 0)
  return { data, width: 4, height: 2 }
}

const pixel = (data: Uint8Array, width: number, x: number, y: number): number[] => [
  ...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3),
]

// Turned first, then mirrored. The red corner tells where the upper left one went.
test.each([
  { rotation: 0, flipV: false, flipH: false, at: [0, 0] },
  { rotation: 0, flipV: true, flipH: false, at: [0, 1] },
  { rotation: 0, flipV: false, flipH: true, at: [3, 0] },
  { rotation: 90, flipV: false, flipH: false, at: [1, 0] },
  { rotation: 90, flipV: true, flipH: false, at: [1, 3] },
  { rotation: 90, flipV: false, flipH: true, at: [0, 0] },
  { rotation: 180, flipV: false, flipH: false, at: [3, 1] },
  { rotation: 180, flipV: true, flipH: false, at: [3, 0] },
  { rotation: 270, flipV: false, flipH: false, at: [0, 3] },
  { rotation: 270, flipV: false, flipH: true, at: [1, 3] },
  { rotation: 270, flipV: true, flipH: true, at: [1, 0] },
] as const)('turned by $rotation, flipV $flipV, flipH $flipH: the corner is at $at', async (turn) => {
  const { at, ...orientation } = turn
  const frame = await frameOf(cornered(), { width: 4, height: 2 }, orientation satisfies Orientation)
  const width = turn.rotation % 180 === 0 ? 4 : 2
  expect(pixel(frame, width, at[0], at[1])).toEqual(RED)
  expect(frame.filter((value) => value === 255).length).toBe(1)
})

const UPRIGHT: Orientation = { rotation: 0, flipV: false, flipH: false }

test('an odd picture gets a black row and column, and is not touched otherwise', async () => {
  const data = new Uint8Array(3 * 3 * 3).fill(9)
  const frame = await frameOf({ data, width: 3, height: 3 }, { width: 4, height: 4 }, UPRIGHT)
  expect(frame.length).toBe(4 * 4 * 3)
  expect(pixel(frame, 4, 2, 2)).toEqual([9, 9, 9])
  expect(pixel(frame, 4, 3, 0)).toEqual(BLACK)
  expect(pixel(frame, 4, 0, 3)).toEqual(BLACK)
})

test('a picture of another shape is fitted in', async () => {
  const data = new Uint8Array(20 * 80 * 3).fill(200)
  const frame = await frameOf({ data, width: 20, height: 80 }, { width: 64, height: 48 }, UPRIGHT)
  expect(frame.length).toBe(64 * 48 * 3)
  expect(pixel(frame, 64, 0, 24)).toEqual(BLACK)
  expect(pixel(frame, 64, 32, 24)).toEqual([200, 200, 200])
})

test('boxes are drawn into a copy', () => {
  const pixels = { data: new Uint8Array(40 * 40 * 3), width: 40, height: 40 }
  const boxed = withBoxes(pixels, [{ left: 10, top: 10, right: 30, bottom: 30 }])
  expect(pixel(boxed.data, 40, 10, 20)).toEqual([0, 255, 0])
  expect(pixel(boxed.data, 40, 20, 20)).toEqual(BLACK)
  expect(pixels.data.every((value) => value === 0)).toBe(true)
})

test('what is no picture, or cut off, is none', async () => {
  const jpeg = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#468' } })
    .jpeg()
    .toBuffer()
  expect(await decodePicture(jpeg)).toMatchObject({ width: 64, height: 64 })
  expect(await decodePicture(Buffer.from('no picture'))).toBeUndefined()
  expect(await decodePicture(jpeg.subarray(0, jpeg.length / 2))).toBeUndefined()
  const grey = await sharp({ create: { width: 8, height: 8, channels: 4, background: '#4686' } })
    .greyscale()
    .png()
    .toBuffer()
  expect((await decodePicture(grey))?.data.length).toBe(8 * 8 * 3)
})

test('the poster is a JPEG of the frame', async () => {
  const poster = await posterOf(new Uint8Array(64 * 48 * 3).fill(120), { width: 64, height: 48 })
  expect(await sharp(poster).metadata()).toMatchObject({ format: 'jpeg', width: 64, height: 48 })
})
