import { expect, test } from 'vitest'
import { memoryCounters } from '../adapters/counters-memory.js'
import { unknownLimit } from './unknown-limit.js'

const DAY = 24 * 3_600_000
const ADDRESS = '192.0.2.7'

/** A limit under which one address tries credentials that nobody has all the time. */
function newLimit() {
  let now = 1_800_000_000_000
  const clock = { now: () => now }
  const refusals = { note: () => undefined }
  const look = unknownLimit({ counters: memoryCounters(clock), clock, refusals }, { perSecond: 1, burst: 5 })
  const wrong = (hash = 'made up') => look(ADDRESS, hash, async () => undefined)
  return {
    right: (hash: string) => look(ADDRESS, hash, async () => hash),
    wrong,
    async flood(): Promise<void> {
      for (let count = 0; count < 10; count += 1) await wrong().catch(() => undefined)
      await expect(wrong()).rejects.toMatchObject({ code: 'rate_limited' })
    },
    wait: (ms: number) => {
      now += ms
    },
  }
}

test('whose credential was good lately is looked up while its address has to wait', async () => {
  const limit = newLimit()
  await limit.right('old')
  await limit.flood()
  limit.wait(DAY / 2)
  await limit.flood()
  expect(await limit.right('old')).toBe('old')
  await expect(limit.right('new')).rejects.toMatchObject({ code: 'rate_limited' })
})

test('being found again counts as new, and a day without it ends it', async () => {
  const limit = newLimit()
  await limit.right('kept')
  await limit.right('left')
  limit.wait(DAY / 2)
  await limit.right('kept')
  limit.wait(DAY / 2)
  await limit.flood()
  expect(await limit.right('kept')).toBe('kept')
  await expect(limit.right('left')).rejects.toMatchObject({ code: 'rate_limited' })
})

test("a credential that is nobody's any more is looked up once, then it waits like others", async () => {
  const limit = newLimit()
  await limit.right('removed')
  await limit.flood()
  expect(await limit.wrong('removed')).toBeUndefined()
  await expect(limit.wrong('removed')).rejects.toMatchObject({ code: 'rate_limited' })
})
