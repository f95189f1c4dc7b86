import { expect, test } from 'vitest'
import { LocalRate } from './local-rate.js'

const RATE = { perSecond: 2, burst: 3 }

test('each key has its own', () => {
  const rate = new LocalRate<string>(RATE)
  expect([0, 0, 0, 0].map((now) => rate.take('a', 1, now))).toEqual([0, 0, 0, 500])
  expect(rate.take('b', 3, 0)).toBe(0)
  expect(rate.take('a', 1, 500)).toBe(0)
})

test('keys are forgotten without losing their allowance', () => {
  const rate = new LocalRate(RATE)
  for (let index = 0; index < 3; index += 1) expect(rate.take(1, 1, 0)).toBe(0)
  expect(rate.take(1, 1, 0)).toBe(500)
  for (let printer = 2; printer < 5000; printer += 1) expect(rate.take(printer, 1, 0)).toBe(0)
  expect(rate.take(1, 1, 0)).toBe(500)
  for (let printer = 5000; printer < 20_000; printer += 1) rate.take(printer, 1, 10_000)
  expect(rate.take(1, 3, 10_000)).toBe(0)
})
