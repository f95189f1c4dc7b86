import { expect, test } from 'vitest'
import type { Bus } from '../ports.js'

/** What every Bus must do. `open` hands over an idle bus for each test. */
export function busContract(open: () => Promise<Bus>): void {
  /** Resolves once `count` messages came, so that no test waits for a time. */
  function collector(count: number): { take: (payload: unknown) => void; all: Promise<unknown[]> } {
    const taken: unknown[] = []
    let done: (taken: unknown[]) => void
    const all = new Promise<unknown[]>((resolve) => (done = resolve))
    return {
      take(payload) {
        taken.push(payload)
        if (taken.length === count) done(taken)
      },
      all,
    }
  }

  test('every subscriber of the subject gets each message, in order', async () => {
    const bus = await open()
    const first = collector(3)
    const second = collector(3)
    bus.subscribe('a', first.take)
    bus.subscribe('a', second.take)
    bus.subscribe('b', () => {
      throw new Error('not this one')
    })
    for (const n of [1, 2, 3]) bus.publish('a', { n })
    expect(await first.all).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(await second.all).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  test('a handler that throws disturbs neither the publisher nor the others', async () => {
    const bus = await open()
    const others = collector(1)
    bus.subscribe('a', () => {
      throw new Error('broken')
    })
    bus.subscribe('a', others.take)
    expect(() => bus.publish('a', 1)).not.toThrow()
    expect(await others.all).toEqual([1])
  })

  test('after unsubscribing nothing more comes, twice without complaint', async () => {
    const bus = await open()
    const kept = collector(2)
    const gone = collector(1)
    bus.subscribe('a', kept.take)
    const stop = bus.subscribe('a', gone.take)
    bus.publish('a', 1)
    await gone.all
    stop()
    stop()
    bus.publish('a', 2)
    expect(await kept.all).toEqual([1, 2])
    expect(await gone.all).toEqual([1])
  })

  test('request hands back the answer, also one that takes a while', async () => {
    const bus = await open()
    bus.subscribe('sum', async (payload) => {
      const { a, b } = payload as { a: number; b: number }
      await Promise.resolve()
      return a + b
    })
    expect(await bus.request('sum', { a: 1, b: 2 }, 1000)).toBe(3)
  })

  test('request takes the answer of whoever has one', async () => {
    const bus = await open()
    bus.subscribe('a', () => undefined)
    bus.subscribe('a', () => {
      throw new Error('broken')
    })
    bus.subscribe('a', () => false)
    expect(await bus.request('a', null, 1000)).toBe(false)
  })

  test('request is undefined when nobody listens, nobody answers, or the answer comes too late', async () => {
    const bus = await open()
    bus.subscribe('silent', () => undefined)
    bus.subscribe('slow', () => new Promise(() => {}))
    expect(await bus.request('nobody', null, 1000)).toBeUndefined()
    expect(await bus.request('silent', null, 1000)).toBeUndefined()
    expect(await bus.request('slow', null, 20)).toBeUndefined()
  })
}
