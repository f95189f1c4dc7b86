import { expect, test } from 'vitest'
import { decodeQoi, qoiSizeOf } from './qoi.js'

const END = [0, 0, 0, 0, 0, 0, 0, 1]

/** A picture of a row of `width` pixels from the bytes of its chunks. */
function qoi(width: number, chunks: readonly number[], height = 1): Uint8Array {
  const header = Buffer.alloc(14)
  header.write('qoif')
  header.writeUInt32BE(width, 4)
  header.writeUInt32BE(height, 8)
  header.writeUInt8(4, 12)
  return Buffer.concat([header, Buffer.from([...chunks, ...END])])
}

test.each([
  { name: 'a colour', width: 1, chunks: [0xfe, 1, 2, 3], pixels: [1, 2, 3, 255] },
  { name: 'a colour with transparency', width: 1, chunks: [0xff, 1, 2, 3, 4], pixels: [1, 2, 3, 4] },
  {
    name: 'a run of the first pixel, which is black',
    width: 3,
    chunks: [0xc2],
    pixels: [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255],
  },
  { name: 'a run that is longer than the picture', width: 1, chunks: [0xfd], pixels: [0, 0, 0, 255] },
  {
    name: 'a small step, around the ends',
    width: 2,
    chunks: [0x40 | 0b01_11_10, 0x40 | 0b11_10_10],
    pixels: [255, 1, 0, 255, 0, 1, 0, 255],
  },
  {
    name: 'a step of green with the others beside it',
    width: 1,
    chunks: [0x80 | (32 + 10), (8 + 3) * 16 + (8 - 8)],
    pixels: [13, 10, 2, 255],
  },
  {
    // (10·3 + 20·5 + 30·7 + 255·11) mod 64 = 9
    name: 'a colour seen before',
    width: 3,
    chunks: [0xfe, 10, 20, 30, 0xfe, 1, 1, 1, 9],
    pixels: [10, 20, 30, 255, 1, 1, 1, 255, 10, 20, 30, 255],
  },
  { name: 'a colour never seen, which is clear', width: 1, chunks: [5], pixels: [0, 0, 0, 0] },
])('decodes $name', ({ width, chunks, pixels }) => {
  expect([...(decodeQoi(qoi(width, chunks), 100)?.pixels ?? [])]).toEqual(pixels)
})

test.each([
  { name: 'millions by millions', bytes: qoi(0xffffffff, [], 0xffffffff) },
  { name: 'one pixel more than allowed', bytes: qoi(101, [0xfd, 0xfd]) },
  { name: 'no width', bytes: qoi(0, []) },
  { name: 'no height', bytes: qoi(1, [], 0) },
  { name: 'a picture that is cut off', bytes: qoi(100, [0xfe, 1, 2, 3]) },
  { name: 'a header that is cut off', bytes: qoi(1, [0xc0]).subarray(0, 13) },
  { name: 'another format', bytes: Buffer.from('not a picture at all') },
])('refuses $name', ({ bytes }) => {
  expect(decodeQoi(bytes, 100)).toBeUndefined()
})

test('the size is known before anything is decoded', () => {
  expect(qoiSizeOf(qoi(70_000, [], 50_000))).toEqual({ width: 70_000, height: 50_000 })
})
