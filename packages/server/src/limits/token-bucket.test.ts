import { expect, test } from 'vitest'
import { type Bucket, fullAfterMs, owe, putBack, take, takeSome } from './token-bucket.js'

const RATE = { perSecond: 2, burst: 3 }

/** Takes one at each of these times; says which were allowed. */
function allowed(times: readonly number[]): boolean[] {
  let bucket: Bucket | undefined
  return times.map((now) => {
    const taken = take(bucket, RATE, 1, now)
    bucket = taken.bucket
    return taken.waitMs === 0
  })
}

test.each([
  { name: 'a burst, then no more', times: [0, 0, 0, 0], expected: [true, true, true, false] },
  { name: 'half a second gives one back', times: [0, 0, 0, 500, 500], expected: [true, true, true, true, false] },
  {
    name: 'no more than the burst is saved up',
    times: [0, 99_000, 99_000, 99_000, 99_000],
    expected: [true, true, true, true, false],
  },
  {
    name: 'the steady pace goes on for ever',
    times: [0, 500, 1000, 1500, 2000],
    expected: [true, true, true, true, true],
  },
  {
    name: 'what is refused costs nothing',
    times: [0, 0, 0, 100, 200, 300, 500],
    expected: [true, true, true, false, false, false, true],
  },
  {
    name: 'a clock that jumps back gives nothing',
    times: [9000, 9000, 9000, 0, 0],
    expected: [true, true, true, false, false],
  },
  {
    name: 'two nodes in turn gain nothing by their clocks',
    times: [9000, 8000, 9000, 8000, 9000, 8000],
    expected: [true, true, true, false, false, false],
  },
  {
    name: 'a clock that was set back far starts anew from there',
    times: [9_000_000, 9_000_000, 9_000_000, 0, 500],
    expected: [true, true, true, false, true],
  },
])('$name', ({ times, expected }) => {
  expect(allowed(times)).toEqual(expected)
})

test('the wait is told', () => {
  const { bucket } = take(undefined, RATE, 3, 0)
  expect(take(bucket, RATE, 1, 0).waitMs).toBe(500)
  expect(take(bucket, RATE, 2, 250).waitMs).toBe(750)
})

test('what costs more than the burst is allowed once the bucket is full', () => {
  expect(take(undefined, RATE, 100, 0)).toEqual({ bucket: { tokens: 0, at: 0 }, waitMs: 0 })
  expect(take({ tokens: 2.5, at: 0 }, RATE, 100, 0).waitMs).toBe(250)
})

test.each([
  { name: 'all that is wanted', tokens: 3, taken: 2, left: 1 },
  { name: 'what there is', tokens: 1.5, taken: 1, left: 0.5 },
  { name: 'nothing when the least is not there', tokens: 0.5, taken: 0, left: 0.5 },
])('up to so many: $name', ({ tokens, taken, left }) => {
  const result = takeSome({ tokens, at: 0 }, RATE, { least: 1, most: 2 }, 0)
  expect(result).toEqual({ bucket: { tokens: left, at: 0 }, taken, waitMs: taken === 0 ? 250 : 0 })
})

test.each([
  { name: 'a share of what there is', tokens: 40, most: 1, share: 0.1, taken: 4 },
  { name: 'what is wanted where it is more', tokens: 40, most: 6, share: 0.1, taken: 6 },
  { name: 'the least where a share would be nothing', tokens: 5, most: 1, share: 0.1, taken: 1 },
])('a part of what is left: $name', ({ tokens, most, share, taken }) => {
  const rate = { perSecond: 1, burst: 50 }
  const result = takeSome({ tokens, at: 0 }, rate, { least: 1, most, share }, 0)
  expect(result).toEqual({ bucket: { tokens: tokens - taken, at: 0 }, taken, waitMs: 0 })
})

test.each([
  { name: 'beside what has flowed in', bucket: { tokens: 0, at: 0 }, count: 1, after: 2 },
  { name: 'never more than a burst', bucket: { tokens: 1, at: 0 }, count: 50, after: 3 },
  { name: 'to what is owed', bucket: { tokens: -3, at: 0 }, count: 1, after: -1 },
  { name: 'to an untouched one', bucket: undefined, count: 1, after: 3 },
])('put back: $name', ({ bucket, count, after }) => {
  expect(putBack(bucket, RATE, count, 500)).toEqual({ tokens: after, at: 500 })
})

test('an emptied bucket is full after a while', () => {
  expect(fullAfterMs(RATE)).toBe(1500)
  const { bucket } = take(undefined, RATE, 3, 0)
  expect(take(bucket, RATE, 3, fullAfterMs(RATE)).waitMs).toBe(0)
})

test.each([
  { name: 'what is there is taken', bucket: { tokens: 2, at: 0 }, cost: 2, left: 0 },
  { name: 'what is missing is owed', bucket: { tokens: 1, at: 0 }, cost: 3, left: -2 },
  { name: 'no more than a burst is owed', bucket: { tokens: -2, at: 0 }, cost: 50, left: -3 },
  { name: 'an untouched one is full', bucket: undefined, cost: 1, left: 2 },
])('afterwards: $name', ({ bucket, cost, left }) => {
  const after = owe(bucket, RATE, cost, 0)
  expect(after.tokens).toBe(left)
  // The next one waits for what is owed, and it is remembered until it is paid.
  expect(take(after, RATE, 1, 0).waitMs).toBe(left >= 1 ? 0 : (1 - left) * 500)
  expect(fullAfterMs(RATE, after)).toBe((3 - Math.min(0, left)) * 500)
})
