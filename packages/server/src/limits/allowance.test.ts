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

test('who has to wait a moment does not wait for hours after the clock was set back', async () => {
  const { allowances, wait } = nodes(1)
  const [one] = allowances as [Allowance]
  await takeAll(one)
  wait(-3_600_000)
  expect(await one.take('one')).toBeLessThanOrEqual(100)
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

/** How many are refused where `atOnce` come together, every so many milliseconds, to each node in turn. */
async function refusedInTurn(count: number, load: { everyMs: number; atOnce: number; rounds: number }) {
  const { allowances, wait } = nodes(count)
  let refused = 0
  for (let index = 0; index < load.rounds * load.atOnce; index += 1) {
    if (index % load.atOnce === 0) wait(load.everyMs)
    if ((await allowances[index % count]?.take('one')) !== 0) refused += 1
  }
  return refused
}

test.each([
  { count: 1, everyMs: 100, atOnce: 1 },
  { count: 2, everyMs: 100, atOnce: 1 },
  { count: 2, everyMs: 1100, atOnce: 10 },
  { count: 2, everyMs: 5000, atOnce: 40 },
  { count: 5, everyMs: 1100, atOnce: 10 },
  { count: 30, everyMs: 3500, atOnce: 30 },
])('a client that stays within the rate is never refused: $atOnce on $count nodes every $everyMs ms', async (load) => {
  expect(await refusedInTurn(load.count, { ...load, rounds: 300 })).toBe(0)
})

test.each([1, 2, 4, 30])('who goes beyond the rate is given the rate and no more, on %i nodes', async (count) => {
  // 200 s of 20 a second, where 10 are allowed: half of 4000, and the first 100.
  const refused = await refusedInTurn(count, { everyMs: 1000, atOnce: 20, rounds: 200 })
  expect(refused).toBeGreaterThan(1890)
  expect(refused).toBeLessThan(1960)
})

test('a busy client costs a look at the shared count a second, a greedy one few, a refused one none', async () => {
  const { allowances, looks, wait } = nodes(1, { perSecond: 200, burst: 2000 })
  const [one] = allowances as [Allowance]
  for (let count = 0; count < 1800; count += 1) {
    expect(await one.take('one')).toBe(0)
    wait(5.5)
  }
  expect(looks()).toBeLessThan(15)
  await takeAll(one)
  const before = looks()
  expect(before).toBeLessThan(80)
  for (let count = 0; count < 1000; count += 1) expect(await one.take('one')).toBeGreaterThan(0)
  expect(looks()).toBe(before)
})

test('what is given back after its time is not lost, nor given twice', async () => {
  const { allowances, wait } = nodes(1)
  const [one] = allowances as [Allowance]
  expect(await takeAll(one)).toMatchObject({ taken: 100 })
  one.giveBack('one', 3)
  wait(400)
  // Four have flowed in meanwhile.
  expect(await takeAll(one)).toMatchObject({ taken: 7 })
  expect(await takeAll(one)).toMatchObject({ taken: 0 })
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

/** As `nodes`, but the shared count answers when the test says so, or fails. */
function slowNode(rate = { perSecond: 200, burst: 2000 }) {
  const clock = { now: () => 1_800_000_000_000 }
  const shared = memoryCounters(clock)
  const asked: { answer(): void; fail(): void }[] = []
  const counters: Counters = {
    update: async (keys, step) => {
      await new Promise<void>((answer, reject) => {
        asked.push({ answer, fail: () => reject(new Error('the store is gone')) })
      })
      return shared.update(keys, step)
    },
  }
  let looks = 0
  /** Answers whatever is asked until nothing is. */
  const answerAll = async (): Promise<number> => {
    for (; ; looks += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      const next = asked.shift()
      if (next === undefined) return looks
      expect(asked).toEqual([])
      next.answer()
    }
  }
  const allowance = new Allowance({ counters, clock }, 'test', rate)
  const takes = (count: number, cost = 1) => Array.from({ length: count }, async () => allowance.take('one', cost))
  return { allowance, takes, answerAll, asked }
}

const passed = (waits: readonly number[]): number => waits.filter((waitMs) => waitMs === 0).length

test('a hundred at once pass where two thousand may, and ask a slow store twice', async () => {
  const { takes, answerAll } = slowNode()
  const waits = Promise.all(takes(100))
  expect(await answerAll()).toBe(2)
  expect(passed(await waits)).toBe(100)
})

test('of three thousand at once two thousand pass, and the rest is refused by a few looks at a slow store', async () => {
  const { allowance, takes, answerAll } = slowNode()
  const waits = Promise.all(takes(3000))
  expect(await answerAll()).toBeLessThanOrEqual(3)
  expect(passed(await waits)).toBe(2000)
  for (let count = 0; count < 1000; count += 1) expect(allowance.take('one')).toBe(5)
})

test('the same by what costs more: none is asked for one by one', async () => {
  const { takes, answerAll } = slowNode()
  const waits = Promise.all([...takes(300, 10), ...takes(10, 20)])
  expect(await answerAll()).toBeLessThanOrEqual(3)
  expect(passed(await waits)).toBe(200)
  expect((await waits).slice(-2)).toEqual([100, 100])
})

test('who wants little is served behind one who wants too much', async () => {
  const { takes, answerAll } = slowNode({ perSecond: 10, burst: 100 })
  const first = takes(1, 60)
  await answerAll()
  const waits = Promise.all([...first, ...takes(1, 80), ...takes(1, 90), ...takes(30, 1)])
  await answerAll()
  expect(await waits).toEqual([0, 4000, 5000, ...Array<number>(30).fill(0)])
})

test('what is in stock counts for who wants more than that', async () => {
  const { takes, answerAll } = slowNode()
  const first = takes(1)
  await answerAll()
  const all = takes(1, 1999)
  await answerAll()
  expect(await Promise.all([...first, ...all])).toEqual([0, 0])
})

test('who wants little has it where more cannot be had', async () => {
  const { allowance, takes, answerAll } = slowNode({ perSecond: 10, burst: 100 })
  const first = takes(1)
  await answerAll()
  const large = [...takes(1, 110), ...takes(1)]
  await answerAll()
  expect(await Promise.all([...first, ...large])).toEqual([0, 100, 0])
  expect(allowance.take('one', 110)).toBe(100)
})

test('what was taken for who could not have it is there for the other nodes', async () => {
  const { allowances } = nodes(2, { perSecond: 200, burst: 2000 })
  const [one, two] = allowances as [Allowance, Allowance]
  const waits = await Promise.all([one.take('one'), one.take('one', 300), one.take('one', 5000)])
  expect(waits).toEqual([0, 0, 1505])
  expect(await two.take('one', 1699)).toBe(0)
})

test('what lay unused at many nodes is given once', async () => {
  const { allowances, wait } = nodes(30, { perSecond: 200, burst: 2000 })
  for (const node of allowances) {
    expect(await node.take('one')).toBe(0)
    wait(1100)
  }
  wait(3_600_000)
  let taken = 0
  for (const node of allowances) taken += (await takeAll(node)).taken
  expect(taken).toBe(2000)
})

test('a store that fails leaves nobody waiting, and is asked anew', async () => {
  const { takes, answerAll, asked } = slowNode()
  const waits = Promise.allSettled(takes(100))
  asked.shift()?.fail()
  expect((await waits).map(({ status }) => status)).toEqual(Array(100).fill('rejected'))
  const later = Promise.all(takes(100))
  await answerAll()
  expect(passed(await later)).toBe(100)
})

test('what is charged afterwards comes from what is here, then from what all share, then from the next ones', async () => {
  const { allowances, wait, looks } = nodes(2, { perSecond: 100, burst: 1000 })
  const [one, two] = allowances as [Allowance, Allowance]
  await one.take('one')
  await one.charge('one', 4)
  expect(looks()).toBe(1)
  // 5 are left here, 990 are shared.
  await one.charge('one', 1205)
  expect(looks()).toBe(2)
  expect(await two.take('one')).toBe(2110)
  expect(await one.take('one')).toBe(2110)
  wait(2110)
  expect(await takeAll(one)).toEqual({ taken: 1, waitMs: 10 })
})
