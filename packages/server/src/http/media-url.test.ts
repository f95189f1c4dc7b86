import { expect, test } from 'vitest'
import { mediaClaim, mediaExpiry, parseRange } from './media-url.js'

const HOUR_MS = 3_600_000
const NOW = 1_795_251_600_000

test('an address stays the same within the hour, and lasts between 23 and 24 hours', () => {
  const start = Math.floor(NOW / HOUR_MS) * HOUR_MS
  expect(mediaExpiry(start)).toBe(mediaExpiry(start + HOUR_MS - 1))
  expect(mediaExpiry(start + HOUR_MS)).not.toBe(mediaExpiry(start))
  expect(mediaExpiry(start + HOUR_MS - 1) * 1000 - (start + HOUR_MS - 1)).toBeGreaterThan(23 * HOUR_MS)
  expect(mediaExpiry(start) * 1000 - start).toBe(24 * HOUR_MS)
})

test('what is signed tells key and end apart', () => {
  expect(mediaClaim('a', 12)).not.toBe(mediaClaim('a1', 2))
  expect(mediaClaim('a/b', 1)).not.toBe(mediaClaim('a', 1))
})

test.each([
  { header: undefined, range: undefined },
  { header: 'bytes=0-', range: { start: 0, end: 99 } },
  { header: 'bytes=10-19', range: { start: 10, end: 19 } },
  { header: 'bytes=90-200', range: { start: 90, end: 99 } },
  { header: 'bytes=-10', range: { start: 90, end: 99 } },
  { header: 'bytes=-500', range: { start: 0, end: 99 } },
  { header: 'bytes=99-99', range: { start: 99, end: 99 } },
  { header: 'bytes=100-', range: null },
  { header: 'bytes=20-10', range: null },
  { header: 'bytes=-0', range: null },
  { header: 'bytes=-', range: undefined },
  { header: 'bytes=0-1,5-6', range: undefined },
  { header: 'items=0-1', range: undefined },
])('$header of 100 bytes', ({ header, range }) => {
  expect(parseRange(header, 100)).toEqual(range)
})
