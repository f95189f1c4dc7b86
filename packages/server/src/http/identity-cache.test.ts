import { expect, test } from 'vitest'
import { identityCache } from './identity-cache.js'

function cacheAt() {
  let now = 0
  const cache = identityCache<{ id: number }>({ now: () => now })
  let looked = 0
  const find = async () => ({ id: ++looked })
  return { cache, find, wait: (ms: number) => (now += ms), looked: () => looked }
}

test('who was found is remembered for ten seconds', async () => {
  const { cache, find, wait, looked } = cacheAt()
  expect(await cache.get('h', find)).toEqual({ id: 1 })
  wait(9_999)
  expect(await cache.get('h', find)).toEqual({ id: 1 })
  wait(1)
  expect(await cache.get('h', find)).toEqual({ id: 2 })
  expect(looked()).toBe(2)
})

test('who was not found is looked up again', async () => {
  const { cache, find } = cacheAt()
  expect(await cache.get('h', async () => undefined)).toBeUndefined()
  expect(await cache.get('h', find)).toEqual({ id: 1 })
})

test('clearing forgets at once', async () => {
  const { cache, find } = cacheAt()
  await cache.get('h', find)
  cache.clear()
  expect(await cache.get('h', find)).toEqual({ id: 2 })
})

test('what was looked up while something was revoked is not kept', async () => {
  const { cache, find } = cacheAt()
  const during = cache.get('h', async () => {
    cache.clear()
    return { id: 99 }
  })
  expect(await during).toEqual({ id: 99 })
  expect(await cache.get('h', find)).toEqual({ id: 1 })
})
