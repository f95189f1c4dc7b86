import { expect, test } from 'vitest'
import { type TryCounter, TryLimiter } from './linking-tries.js'

const MINUTE = 60_000
const NOW = 1_800_000_000_000
const one: TryCounter = { key: 'one', limit: { tries: 3, perMs: MINUTE } }
const all: TryCounter = { key: 'all', limit: { tries: 5, perMs: MINUTE } }

test('so many wrong tries are let pass in a minute, then one waits for the oldest to be over', () => {
  const limiter = new TryLimiter()
  for (const at of [0, 1000, 2000]) expect(limiter.begin([one], NOW + at).waitMs).toBe(0)
  expect(limiter.begin([one], NOW + 3000).waitMs).toBe(57_000)
  // What was refused did not count.
  expect(limiter.begin([one], NOW + MINUTE).waitMs).toBe(0)
  expect(limiter.begin([one], NOW + MINUTE).waitMs).toBe(1000)
})

test('a right try does not count', () => {
  const limiter = new TryLimiter()
  for (let count = 0; count < 10; count += 1) {
    const { waitMs, forgive } = limiter.begin([one], NOW)
    expect(waitMs).toBe(0)
    forgive()
  }
})

test('tries under way count, so that many at once do not get past', () => {
  const limiter = new TryLimiter()
  const waits = Array.from({ length: 50 }, () => limiter.begin([one], NOW).waitMs)
  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(3)
})

test('the limit of all holds across keys, and one who is refused by it is charged nowhere', () => {
  const limiter = new TryLimiter()
  const other: TryCounter = { key: 'other', limit: one.limit }
  for (const counter of [one, one, one, other, other]) expect(limiter.begin([counter, all], NOW).waitMs).toBe(0)
  expect(limiter.begin([other, all], NOW).waitMs).toBe(MINUTE)
  expect(limiter.begin([other], NOW).waitMs).toBe(0)
})

test('what is long past is forgotten', () => {
  const limiter = new TryLimiter()
  for (let count = 0; count < 1500; count += 1) limiter.begin([{ key: String(count), limit: one.limit }], NOW)
  for (let count = 0; count < 1000; count += 1)
    limiter.begin([{ key: `later ${count}`, limit: one.limit }], NOW + MINUTE)
  expect(limiter.begin([{ key: '7', limit: one.limit }], NOW + MINUTE).waitMs).toBe(0)
})
