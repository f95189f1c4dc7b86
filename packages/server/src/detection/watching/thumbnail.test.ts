import { expect, test } from 'vitest'
import { compare, THUMBNAIL, type Thumbnail } from './thumbnail.js'

const { width, height } = THUMBNAIL

/** A grey picture with a square of another brightness. */
function withSquare(side: number, left: number, top: number, brightness: number): Thumbnail {
  const grey = new Uint8Array(width * height).fill(100)
  for (let y = top; y < top + side; y++) grey.fill(brightness, y * width + left, y * width + left + side)
  return { ...THUMBNAIL, grey }
}

const plain = withSquare(0, 0, 0, 0)

test('the mean is that of all pixels, lighter or darker', () => {
  const lighter = withSquare(20, 10, 10, 140)
  expect(compare(plain, lighter).mean).toBe((400 * 40) / (width * height))
  expect(compare(lighter, plain).mean).toBe((400 * 40) / (width * height))
  expect(compare(plain, plain).mean).toBe(0)
})

test.each([
  ['the first corner', 0, 0],
  ['the last corner', width - 6, height - 6],
  ['the right edge', width - 6, 40],
  ['the lower edge', 60, height - 6],
  ['the middle', 77, 53],
])('a square of five that changed shows in %s', (_, left, top) => {
  // An odd place has no window of its own; the two beside it have four fifths of the square each.
  const even = (value: number): number => value - (value % 2)
  const square = withSquare(5, even(left), even(top), 110)
  for (const [a, b] of [
    [plain, square],
    [square, plain],
  ] as const) {
    expect(compare(a, b).isAnywhereMore(9.9)).toBe(true)
    expect(compare(a, b).isAnywhereMore(10)).toBe(false)
  }
})

test('what is lighter and what is darker cancel out within a window', () => {
  const grey = Uint8Array.from(plain.grey, (value, at) => value + (at % 2 === 0 ? 8 : -8))
  const { mean, isAnywhereMore } = compare(plain, { ...THUMBNAIL, grey })
  expect(mean).toBe(8)
  expect(isAnywhereMore(3.2)).toBe(false)
})
