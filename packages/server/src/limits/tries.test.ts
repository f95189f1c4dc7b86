import { expect, test } from 'vitest'
import { memoryCounters } from '../adapters/counters-memory.js'
import { type TryCounter, TryLimiter } from './tries.js'

const MINUTE = 60_000
const NOW = 1_800_000_000_000
const one: TryCounter = { key: 'one', limit: { tries: 3, perMs: MINUTE } }
const all: TryCounter = { key: 'all', limit: { tries: 5, perMs: MINUTE } }

/** A limiter, and how long one would have to wait for a try at a time; none of them is right. */
function limited() {
  let now = NOW
  const clock = { now: () => now }
  const limiter = new TryLimiter({ counters: memoryCounters(clock), clock })
  const waitAt = async (counters: readonly TryCounter[], at = NOW): Promise<number> => {
    now = at
    return (await limiter.begin(counters)).waitMs
  }
  return { limiter, waitAt }
}

test('so many wrong tries are let pass in a minute, then one waits for the oldest to be over', async () => {
  const { waitAt } = limited()
  for (const at of [0, 1000, 2000]) expect(await waitAt([one], NOW + at)).toBe(0)
  expect(await waitAt([one], NOW + 3000)).toBe(57_000)
  // What was refused did not count.
  expect(await waitAt([one], NOW + MINUTE)).toBe(0)
  expect(await waitAt([one], NOW + MINUTE)).toBe(1000)
})

test('a right try does not count', async () => {
  const { limiter } = limited()
  for (let count = 0; count < 10; count += 1) {
    const { waitMs, forgive } = await limiter.begin([one])
    expect(waitMs).toBe(0)
    await forgive()
  }
})

test('tries under way count, so that many at once do not get past', async () => {
  const { waitAt } = limited()
  const waits = await Promise.all(Array.from({ length: 50 }, () => waitAt([one])))
  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(3)
})

test('the limit of all holds across keys, and one who is refused by it is charged nowhere', async () => {
  const { waitAt } = limited()
  const other: TryCounter = { key: 'other', limit: one.limit }
  for (const counter of [one, one, one, other, other]) expect(await waitAt([counter, all])).toBe(0)
  expect(await waitAt([other, all])).toBe(MINUTE)
  expect(await waitAt([other])).toBe(0)
})
