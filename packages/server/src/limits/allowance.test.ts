import { expect, test } from 'vitest'
import { memoryCounters } from '../adapters/counters-memory.js'
import type { Counters } from '../ports.js'
import { Allowance } from './allowance.js'

const RATE = { perSecond: 10, burst: 100 }

/** Allowances of several nodes on the same counters, a clock for all of them, and how often they looked at the shared count. */
function nodes(count: number, rate = RATE) {
  let now = 1_800_000_000_000
  let looks = 0
  const clock = { now: () => now }
  const shared = memoryCounters(clock)
  const counters: Counters = {
    update: (keys, step) => {
      looks += 1
      return shared.update(keys, step)
    },
  }
  const allowances = Array.from({ length: count }, () => new Allowance({ counters, clock }, 'test', rate))
  return { allowances, wait: (ms: number) => (now += ms), looks: () => looks }
}

/** Takes one at a time until it is refused; says how many there were, and the wait. */
async function takeAll(allowance: Allowance, key = 'one'): Promise<{ taken: number; waitMs: number }> {
  for (let taken = 0; ; taken += 1) {
    const waitMs = await allowance.take(key)
    if (waitMs > 0) return { taken, waitMs }
  }
}

test('a burst, then the wait, and after it one more', async () => {
  const { allowances, wait } = nodes(1)
  const [one] = allowances as [Allowance]
  expect(await takeAll(one)).toEqual({ taken: 100, waitMs: 100 })
  wait(99)
  expect(await one.take('one')).toBe(1)
  wait(1)
  expect(await takeAll(one)).toEqual({ taken: 1, waitMs: 100 })
})

test('each key has its own', async () => {
  const { allowances } = nodes(1)
  const [one] = allowances as [Allowance]
  await takeAll(one, 'abuser')
  expect(await takeAll(one, 'other')).toMatchObject({ taken: 100 })
})

test('nodes share it: together they are given no more than one would be', async () => {
  const { allowances } = nodes(3)
  let taken = 0
  for (let round = 0; round < 200; round += 1) {
    for (const node of allowances) if ((await node.take('one')) === 0) taken += 1
  }
  expect(taken).toBe(100)
})

test('a busy client costs a look at the shared count for every tenth request, a refused one none', async () => {
  const { allowances, looks } = nodes(1)
  const [one] = allowances as [Allowance]
  await takeAll(one)
  expect(looks()).toBe(11)
  for (let count = 0; count < 1000; count += 1) expect(await one.take('one')).toBeGreaterThan(0)
  expect(looks()).toBe(11)
})

test('requests side by side do not overtake the count', async () => {
  const { allowances } = nodes(2)
  const takes = allowances.flatMap((node) => Array.from({ length: 150 }, async () => node.take('one')))
  const waits = await Promise.all(takes)
  expect(waits.filter((waitMs) => waitMs === 0).length).toBeLessThanOrEqual(100)
  expect(waits.filter((waitMs) => waitMs === 0).length).toBeGreaterThan(0)
})

test('what costs more waits longer, and who may not have much may still have little', async () => {
  const { allowances } = nodes(1)
  const [one] = allowances as [Allowance]
  expect(await one.take('one', 90)).toBe(0)
  expect(await one.take('one', 50)).toBe(4000)
  expect(await one.take('one', 5)).toBe(0)
})

test('many keys are forgotten without losing what was counted', async () => {
  const { allowances } = nodes(1, { perSecond: 1, burst: 3 })
  const [one] = allowances as [Allowance]
  await takeAll(one, 'abuser')
  for (let count = 0; count < 11_000; count += 1) await one.take(String(count))
  expect(await one.take('abuser')).toBeGreaterThan(0)
})
