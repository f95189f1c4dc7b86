import { expect, test } from 'vitest'
import { RateLimiter } from './rate-limiter.js'
import { type Bucket, isFull, take } from './token-bucket.js'

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

test('a bucket is full after a while', () => {
  expect(isFull({ tokens: 1, at: 0 }, RATE, 999)).toBe(false)
  expect(isFull({ tokens: 1, at: 0 }, RATE, 1000)).toBe(true)
})

test('printers have an allowance each, and are forgotten without losing it', () => {
  const limiter = new RateLimiter(RATE)
  for (let index = 0; index < 3; index += 1) expect(limiter.take(1, 0)).toBe(0)
  expect(limiter.take(1, 0)).toBe(500)
  for (let printer = 2; printer < 5000; printer += 1) expect(limiter.take(printer, 0)).toBe(0)
  expect(limiter.take(1, 0)).toBe(500)
})
