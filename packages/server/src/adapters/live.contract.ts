import { expect, test } from 'vitest'
import { type Clock, JsonText, type LiveStore } from '../ports.js'

/** What every LiveStore must do. `open` hands over an empty store that runs by `clock`. */
export function liveStoreContract(open: (clock: Clock) => Promise<LiveStore>): void {
  const START = 1_795_000_000_000

  async function storeAt(): Promise<{ store: LiveStore; wait: (ms: number) => void }> {
    let now = START
    const store = await open({ now: () => now })
    return { store, wait: (ms) => (now += ms) }
  }

  test.each([
    { name: 'a newer one', ts: 11, applied: true },
    { name: 'an equal one', ts: 10, applied: true },
    { name: 'an older one', ts: 9, applied: false },
    { name: 'one older by a fraction', ts: 9.999, applied: false },
  ])('$name over ts 10: applied $applied', async ({ ts, applied }) => {
    const { store } = await storeAt()
    await store.put('k', 'first', { ts: 10, ttlMs: 1000 })
    expect(await store.put('k', 'second', { ts, ttlMs: 1000 })).toBe(applied)
    expect(await store.get('k')).toBe(applied ? 'second' : 'first')
  })

  test('a value is gone when its time is up, and its ts is forgotten', async () => {
    const { store, wait } = await storeAt()
    await store.put('k', 'v', { ts: 10, ttlMs: 1000 })
    wait(999)
    expect(await store.get('k')).toBe('v')
    wait(1)
    expect(await store.get('k')).toBeUndefined()
    expect(await store.put('k', 'older', { ts: 1, ttlMs: 1000 })).toBe(true)
    expect(await store.get('k')).toBe('older')
  })

  test.each([
    { name: 'by an hour, gives way to an older one', ms: 3_600_000, applied: true },
    { name: 'by as much as clocks may differ, does not', ms: 60_000, applied: false },
  ])('a value that was put before the clock was set back $name', async ({ ms, applied }) => {
    const { store, wait } = await storeAt()
    await store.put('k', 'v', { ts: 10, ttlMs: 1000 })
    wait(-ms)
    expect(await store.put('k', 'w', { ts: 9, ttlMs: 1000 })).toBe(applied)
    expect(await store.get('k')).toBe(applied ? 'w' : 'v')
  })

  test('text is handed back as what it says, the same each time', async () => {
    const { store } = await storeAt()
    await store.put('k', new JsonText('{"a":[1,"ä"]}'), { ts: 1, ttlMs: 1000 })
    const first = await store.get('k')
    expect(first).toEqual({ a: [1, 'ä'] })
    expect((await store.getMany(['k']))[0]).toBe(first)
    await store.put('k', new JsonText('{"a":2}'), { ts: 2, ttlMs: 1000 })
    expect(await store.get('k')).toEqual({ a: 2 })
  })

  test('a put starts the time anew', async () => {
    const { store, wait } = await storeAt()
    await store.put('k', 'v', { ts: 1, ttlMs: 1000 })
    wait(900)
    await store.put('k', 'w', { ts: 2, ttlMs: 1000 })
    wait(900)
    expect(await store.get('k')).toBe('w')
  })

  test('a put that is not applied does not make the kept value last longer', async () => {
    const { store, wait } = await storeAt()
    await store.put('k', 'v', { ts: 2, ttlMs: 1000 })
    wait(900)
    await store.put('k', 'old', { ts: 1, ttlMs: 1000 })
    wait(100)
    expect(await store.get('k')).toBeUndefined()
  })

  test('keeps plain JSON as it is, false and null included', async () => {
    const { store } = await storeAt()
    for (const value of [null, false, 0, '', [], { a: [1, { b: null }] }]) {
      await store.put('k', value, { ts: 1, ttlMs: 1000 })
      expect(await store.get('k')).toEqual(value)
    }
  })

  test('getMany keeps the order of the keys', async () => {
    const { store } = await storeAt()
    await store.put('a', 1, { ts: 1, ttlMs: 1000 })
    await store.put('b', 2, { ts: 1, ttlMs: 1000 })
    expect(await store.getMany(['b', 'missing', 'a'])).toEqual([2, undefined, 1])
    expect(await store.getMany([])).toEqual([])
  })

  test('remove forgets value and ts', async () => {
    const { store } = await storeAt()
    await store.put('k', 'v', { ts: 10, ttlMs: 1000 })
    await store.remove('k')
    await store.remove('k')
    expect(await store.get('k')).toBeUndefined()
    expect(await store.put('k', 'older', { ts: 1, ttlMs: 1000 })).toBe(true)
  })
}
