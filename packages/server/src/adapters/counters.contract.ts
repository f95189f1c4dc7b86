import { expect, test } from 'vitest'
import { AttemptLimiter } from '../limits/attempt-limiter.js'
import { TryLimiter } from '../limits/tries.js'
import { type Bucket, take } from '../limits/token-bucket.js'
import type { Clock, Counters } from '../ports.js'

/** What every Counters must do. `open` hands over counters that nobody has used, by `clock`. */
export function countersContract(open: (clock: Clock) => Promise<Counters>): void {
  const START = 1_795_000_000_000

  const openNow = (): Promise<Counters> => open({ now: () => START })
  const RATE = { perSecond: 1, burst: 20 }

  /** Takes one of an allowance of twenty; says whether it was there. */
  const takeOne = (counters: Counters, key: string): Promise<boolean> =>
    counters.update<Bucket, boolean>([key], ([bucket]) => {
      const { bucket: after, waitMs } = take(bucket, RATE, 1, START)
      return { states: [after], ttlMs: 60_000, result: waitMs === 0 }
    })

  const read = (counters: Counters, keys: readonly string[]): Promise<unknown[]> =>
    counters.update(keys, (states) => ({ ttlMs: 0, result: [...states] }))

  test('nothing is there at first, then what was put, as plain JSON', async () => {
    const counters = await openNow()
    expect(await read(counters, ['a', 'b'])).toEqual([undefined, undefined])
    const values = [{ tokens: 1.25, at: START, list: [1, 'x', null] }, 'text']
    await counters.update(['a', 'b'], () => ({ states: values, ttlMs: 60_000, result: undefined }))
    expect(await read(counters, ['b', 'missing', 'a'])).toEqual([values[1], undefined, values[0]])
  })

  test('what becomes undefined is forgotten, the others stay', async () => {
    const counters = await openNow()
    await counters.update(['a', 'b'], () => ({ states: [1, 2], ttlMs: 60_000, result: undefined }))
    await counters.update(['a', 'b'], () => ({ states: [undefined, 3], ttlMs: 60_000, result: undefined }))
    expect(await read(counters, ['a', 'b'])).toEqual([undefined, 3])
  })

  test('of many at once none is lost', async () => {
    const counters = await openNow()
    const taken = await Promise.all(Array.from({ length: 100 }, () => takeOne(counters, 'k')))
    expect(taken.filter(Boolean)).toHaveLength(20)
    expect(await takeOne(counters, 'other')).toBe(true)
  })

  test('several keys change together or not at all', async () => {
    const counters = await openNow()
    const add = () =>
      counters.update<number, void>(['x', 'y'], ([x = 0, y = 0]) => ({
        states: x < 10 ? [x + 1, y + 1] : [x, y],
        ttlMs: 60_000,
        result: undefined,
      }))
    const addToY = () =>
      counters.update<number, void>(['y'], ([y = 0]) => ({ states: [y + 1], ttlMs: 60_000, result: undefined }))
    await Promise.all(Array.from({ length: 20 }, () => [add(), addToY()]).flat())
    expect(await read(counters, ['x', 'y'])).toEqual([10, 30])
  })

  test('what a step throws is told, and changes nothing', async () => {
    const counters = await openNow()
    await takeOne(counters, 'k')
    const before = await read(counters, ['k'])
    const broken = counters.update(['k'], () => {
      throw new Error('a defect')
    })
    await expect(broken).rejects.toThrow('a defect')
    expect(await read(counters, ['k'])).toEqual(before)
  })

  test('guesses at passwords and codes do not overtake their counts', async () => {
    const clock = { now: () => START }
    const counters = await open(clock)
    const limiter = new AttemptLimiter({ counters, clock }, 'test')
    const begun = await Promise.all(Array.from({ length: 50 }, () => limiter.begin('a@farm.example', '192.0.2.7')))
    expect(begun.filter(({ waitMs }) => waitMs === 0)).toHaveLength(10)
    await Promise.all(begun.map(({ end }) => end('wrong')))
    expect((await limiter.begin('a@farm.example', '192.0.2.7')).waitMs).toBeGreaterThan(30_000)

    const tries = new TryLimiter({ counters, clock })
    const code = [{ key: 'user 7', limit: { tries: 5, perMs: 60_000 } }]
    const tried = await Promise.all(Array.from({ length: 30 }, () => tries.begin(code)))
    const granted = tried.filter(({ waitMs }) => waitMs === 0)
    expect(granted).toHaveLength(5)
    await granted[0]?.forgive()
    expect((await tries.begin(code)).waitMs).toBe(0)
    expect((await tries.begin(code)).waitMs).toBe(60_000)
  })
}
