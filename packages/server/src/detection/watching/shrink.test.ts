import { expect, test } from 'vitest'
import { canShrink, shrink } from './shrink.js'
import { THUMBNAIL } from './thumbnail.js'

/** A picture that gets brighter to the right and downwards. */
const slope = (width: number, height: number): Uint8Array =>
  Uint8Array.from({ length: width * height }, (_, at) => {
    const x = at % width
    const y = Math.floor(at / width)
    return Math.floor((x / width) * 150 + (y / height) * 100)
  })

test('each pixel is the mean of the sixteen that it stands for', () => {
  const [width, height] = [640, 480]
  const noise = Uint8Array.from({ length: width * height }, (_, at) => (at * 7919) % 256)
  const { grey } = shrink(noise, width, height)
  const mean = (x: number, y: number): number => {
    let sum = 0
    for (let at = 0; at < 16; at++) sum += noise[(y * 4 + (at >> 2)) * width + x * 4 + (at % 4)] ?? 0
    return Math.floor((sum + 8) / 16)
  }
  const expected = Array.from(grey, (_, at) => mean(at % THUMBNAIL.width, Math.floor(at / THUMBNAIL.width)))
  expect([...grey]).toEqual(expected)
})

test.each([
  [640, 360],
  [644, 481],
  [800, 600],
  [1280, 720],
  [1296, 972],
  [1920, 1080],
  [2592, 1520],
  [640, 1],
])('a picture of %i × %i keeps its look', (width, height) => {
  const { grey, ...size } = shrink(slope(width, height), width, height)
  expect(size).toEqual(THUMBNAIL)
  const apart = grey.map((value, at) => {
    const x = ((at % THUMBNAIL.width) + 0.5) / THUMBNAIL.width
    const y = height === 1 ? 0 : (Math.floor(at / THUMBNAIL.width) + 0.5) / THUMBNAIL.height
    return Math.abs(value - (x * 150 + y * 100))
  })
  expect(Math.max(...apart)).toBeLessThanOrEqual(2)
})

test.each([0, 255])('a picture of nothing but %i is that everywhere', (value) => {
  const { grey } = shrink(new Uint8Array(644 * 480).fill(value), 644, 480)
  expect(new Set(grey)).toEqual(new Set([value]))
})

test.each([
  [636, false],
  [640, true],
  [641, false],
  [1366, false],
  [1920, true],
])('a picture that is %i pixels wide can be shrunk: %s', (width, can) => {
  expect(canShrink(width)).toBe(can)
})
