import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Counters, JsonText } from '../ports.js'
import { busContract } from './bus.contract.js'
import { openRedisBus } from './bus-redis.js'
import { countersContract } from './counters.contract.js'
import { redisCounters } from './counters-redis.js'
import { openFakeWay } from './fake-way.js'
import { liveStoreContract } from './live.contract.js'
import { redisLiveStore } from './live-redis.js'
import { openRedis, type RedisConnections } from './redis-connection.js'
import { redisPutAndPublish } from './told-values-redis.js'
import { TEST_REDIS_URL } from './testing.js'

if (TEST_REDIS_URL === undefined) throw new Error('PRINTWARDEN_TEST_REDIS_URL names no Redis server')
const server = TEST_REDIS_URL
const silent = { error() {}, warn() {}, info() {}, debug() {} }
const clock = { now: () => Date.now() }

const opened: RedisConnections[] = []

/** Connections whose keys and channels no other test has. */
async function connect(prefix = `test:${randomUUID()}:`): Promise<RedisConnections> {
  const redis = { ...(await openRedis(server, silent)), prefix }
  opened.push(redis)
  return redis
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((redis) => redis.close()))
})

test('a server that has become a replica is connected to again, since another may have its name now', async () => {
  const { commands } = await connect()
  const closed = once(commands, 'close')
  await expect(commands.eval("return redis.error_reply('READONLY as a replica says it')", 0)).rejects.toThrow(
    'READONLY',
  )
  await closed
  await vi.waitFor(async () => expect(await commands.ping()).toBe('PONG'), 10_000)
})

describe('live values that are told', () => {
  /** Two nodes; what the other one and this one hear on the subject `s`. */
  async function openNodes() {
    const first = await connect()
    const bus = await openRedisBus(first, 'one', clock, silent)
    const other = await openRedisBus(await connect(first.prefix), 'two', clock, silent)
    const here: unknown[] = []
    const there: unknown[] = []
    bus.subscribe('s', (payload) => void here.push(payload))
    other.subscribe('s', (payload) => void there.push(payload))
    await vi.waitFor(async () => expect(await first.commands.pubsub('NUMSUB', bus.channelOf('s'))).toContain(2))
    const putAndPublish = redisPutAndPublish(first, bus, clock, silent)
    const report = (n: number, ts = n) =>
      putAndPublish('k', new JsonText(`{"n":${n}}`), { ts, ttlMs: 60_000 }, told({ n }))
    return { redis: first, bus, here, there, report, live: redisLiveStore(first, clock, silent) }
  }

  const told = (v: object) => ({ subject: 's', notice: { v }, before: '{"v":', after: '}' })

  test('what is applied is kept and heard by every node, what is older is neither', async () => {
    const { report, live, here, there } = await openNodes()
    expect(await Promise.all([report(5), report(4), report(6)])).toEqual([true, false, true])
    expect(await live.get('k')).toEqual({ n: 6 })
    await vi.waitFor(() => expect(there).toEqual([{ v: { n: 5 } }, { v: { n: 6 } }]))
    expect(here).toEqual([{ v: { n: 5 } }, { v: { n: 6 } }])
  })

  test('it is heard after what was told before', async () => {
    const { report, bus, there } = await openNodes()
    const first = report(1)
    bus.publish('s', 'between')
    await first
    bus.publish('s', 'behind')
    await report(2)
    await vi.waitFor(() => expect(there).toHaveLength(4))
    expect(there).toEqual(['between', { v: { n: 1 } }, 'behind', { v: { n: 2 } }])
  })

  test('it goes by one command, which has each value once', async () => {
    const { redis, report } = await openNodes()
    await report(1)
    const sent = vi.spyOn(redis.commands, 'sendCommand')
    await Promise.all([report(2), report(3)])
    expect(sent).toHaveBeenCalledOnce()
  })
})

describe('live values', () => {
  liveStoreContract(async (at) => redisLiveStore(await connect(), at, silent))

  test('one node sees what another put, and the newest of both stays', async () => {
    const first = await connect()
    const one = redisLiveStore(first, clock, silent)
    const two = redisLiveStore(await connect(first.prefix), clock, silent)
    await one.put('k', { from: 'one' }, { ts: 10, ttlMs: 60_000 })
    expect(await two.get('k')).toEqual({ from: 'one' })
    expect(await two.put('k', { from: 'two' }, { ts: 9, ttlMs: 60_000 })).toBe(false)
    const puts = Array.from({ length: 50 }, (_, ts) =>
      (ts % 2 === 0 ? one : two).put('k', ts, { ts: 100 + ts, ttlMs: 60_000 }),
    )
    await Promise.all(puts)
    expect(await one.get('k')).toBe(49)
  })

  test('what is put at once is put in order by one command, each with an answer of its own', async () => {
    const redis = await connect()
    const live = redisLiveStore(redis, clock, silent)
    await live.put('k', 0, { ts: 0, ttlMs: 60_000 })
    const sent = vi.spyOn(redis.commands, 'sendCommand')
    const puts = [5, 4, 6].map((ts) => live.put('k', ts, { ts, ttlMs: 60_000 }))
    puts.push(live.put('other', 1, { ts: 1, ttlMs: 60_000 }))
    expect(await Promise.all(puts)).toEqual([true, false, true, true])
    expect(sent).toHaveBeenCalledOnce()
    expect(await live.getMany(['k', 'other'])).toEqual([6, 1])
  })

  test('whoever does not wait for a put reads and removes it all the same', async () => {
    const live = redisLiveStore(await connect(), clock, silent)
    const put = live.put('k', 1, { ts: 1, ttlMs: 60_000 })
    expect(await live.get('k')).toBe(1)
    const again = live.put('k', 2, { ts: 2, ttlMs: 60_000 })
    await live.remove('k')
    expect(await live.get('k')).toBeUndefined()
    expect(await Promise.all([put, again])).toEqual([true, true])
  })

  test('reads as many as are asked for, in their order, and the same value while it stays the same', async () => {
    const live = redisLiveStore(await connect(), clock, silent)
    const keys = Array.from({ length: 1203 }, (_, index) => `k${index}`)
    for (const index of [0, 499, 500, 1202]) await live.put(`k${index}`, { index }, { ts: 1, ttlMs: 60_000 })
    const found = await live.getMany(keys)
    expect(found).toHaveLength(keys.length)
    expect(found.flatMap((value, index) => (value === undefined ? [] : [[index, value]]))).toEqual(
      [0, 499, 500, 1202].map((index) => [index, { index }]),
    )
    expect(await live.get('k500')).toBe(found[500])
    await live.put('k500', { index: 'new' }, { ts: 2, ttlMs: 60_000 })
    expect(await live.get('k500')).toEqual({ index: 'new' })
    await live.remove('k500')
    expect(await live.get('k500')).toBeUndefined()
  })

  test('Redis itself removes what has run out', async () => {
    const redis = await connect()
    const live = redisLiveStore(redis, clock, silent)
    await live.put('k', 1, { ts: 1, ttlMs: 30 })
    await expect.poll(() => redis.commands.exists(`${redis.prefix}live:k`)).toBe(0)
  })
})

describe('the bus', () => {
  busContract(async () => openRedisBus(await connect(), randomUUID(), clock, silent))

  async function twoNodes(clockOfOne = clock) {
    const first = await connect()
    const second = await connect(first.prefix)
    const one = await openRedisBus(first, 'one', clockOfOne, silent)
    const two = await openRedisBus(second, 'two', clock, silent)
    /** Until Redis knows how many hear the subject. */
    const heardBy = (subject: string, count: number) =>
      expect.poll(async () => (await first.commands.pubsub('NUMSUB', `${first.prefix}bus:${subject}`))[1]).toBe(count)
    return { one, two, heardBy }
  }

  test('a node hears what another one says, once, and its own, once', async () => {
    const { one, two, heardBy } = await twoNodes()
    const heard: [string, unknown][] = []
    one.subscribe('a', (payload) => void heard.push(['one', payload]))
    two.subscribe('a', (payload) => void heard.push(['two', payload]))
    await heardBy('a', 2)
    for (const n of [1, 2, 3]) one.publish('a', { n })
    await expect.poll(() => heard.length).toBe(6)
    await one.request('a', 'last', 1000)
    expect(heard.filter(([node]) => node === 'two').slice(0, 3)).toEqual([1, 2, 3].map((n) => ['two', { n }]))
    expect(heard.filter(([node]) => node === 'one').slice(0, 3)).toEqual([1, 2, 3].map((n) => ['one', { n }]))
  })

  test('what is told at once is told by one command, in order', async () => {
    const redis = await connect()
    const one = await openRedisBus(redis, 'one', clock, silent)
    const two = await openRedisBus(await connect(redis.prefix), 'two', clock, silent)
    const heard: unknown[] = []
    for (const subject of ['a', 'b']) two.subscribe(subject, (payload) => void heard.push(payload))
    const listeners = async () => (await redis.commands.pubsub('NUMSUB', `${redis.prefix}bus:b`))[1]
    await expect.poll(listeners).toBe(1)
    const sent = vi.spyOn(redis.commands, 'sendCommand')
    for (const n of [1, 2, 3]) one.publish(n === 2 ? 'b' : 'a', n)
    await expect.poll(() => heard).toEqual([1, 2, 3])
    expect(sent).toHaveBeenCalledOnce()
  })

  test('a request is answered by the node that can', async () => {
    const { one, two, heardBy } = await twoNodes()
    one.subscribe('sum', () => undefined)
    two.subscribe('sum', async (payload) => (payload as { a: number }).a + 1)
    await heardBy('sum', 2)
    expect(await one.request('sum', { a: 1 }, 5000)).toBe(2)
    expect(await two.request('sum', { a: 2 }, 5000)).toBe(3)
  })

  test('a request that nobody anywhere answers does not wait for its time', async () => {
    const { one, two, heardBy } = await twoNodes()
    one.subscribe('silent', () => undefined)
    two.subscribe('silent', () => undefined)
    await heardBy('silent', 2)
    expect(await one.request('silent', null, 600_000)).toBeUndefined()
    expect(await one.request('nobody', null, 600_000)).toBeUndefined()
  })

  test.each([
    { name: 'long after its time', lateMs: 60_000, expected: [] },
    { name: 'a little late, or from a clock that is behind', lateMs: 5_000, expected: ['pause'] },
  ])('a request that comes $name: $expected', async ({ lateMs, expected }) => {
    const { one, two, heardBy } = await twoNodes({ now: () => Date.now() - lateMs })
    const heard: unknown[] = []
    two.subscribe('a', (payload) => {
      heard.push(payload)
      return true
    })
    await heardBy('a', 1)
    expect(await one.request('a', 'pause', 2000)).toBe(expected.length > 0 ? true : undefined)
    one.publish('a', 'told')
    await expect.poll(() => heard).toEqual([...expected, 'told'])
  })

  test('a node that stopped listening is not asked', async () => {
    const { one, two, heardBy } = await twoNodes()
    const stop = two.subscribe('a', () => 'two')
    await heardBy('a', 1)
    expect(await one.request('a', null, 5000)).toBe('two')
    stop()
    await heardBy('a', 0)
    expect(await one.request('a', null, 600_000)).toBeUndefined()
  })
})

describe('counters', () => {
  countersContract(async (at) => redisCounters(await connect(), at, silent))

  /** One more, up to ten; says whether it was. */
  const count = (counters: Counters) =>
    counters.update<number, boolean>(['k'], ([n = 0]) =>
      n < 10 ? { states: [n + 1], ttlMs: 60_000, result: true } : { ttlMs: 0, result: false },
    )

  test('nodes that count at once count together', async () => {
    const first = await connect()
    const nodes = await Promise.all(
      [0, 1, 2].map(async () => redisCounters(await connect(first.prefix), clock, silent)),
    )
    const counted = await Promise.all(Array.from({ length: 20 }, () => nodes.map(count)).flat())
    expect(counted.filter(Boolean)).toHaveLength(10)
  })

  test('Redis itself forgets what nobody counts any more', async () => {
    const redis = await connect()
    const counters = redisCounters(redis, clock, silent)
    await counters.update(['k'], () => ({ states: [1], ttlMs: 30, result: undefined }))
    await expect.poll(() => redis.commands.exists(`${redis.prefix}limit:k`)).toBe(0)
    expect(await count(counters)).toBe(true)
  })

  test('a node without Redis goes on from what it knows, and counts with the others again later', async () => {
    const redis = await connect()
    const counters = redisCounters(redis, clock, silent)
    for (let n = 0; n < 8; n += 1) expect(await count(counters)).toBe(true)
    redis.commands.disconnect()
    await expect.poll(() => redis.commands.status).toBe('end')
    const alone = []
    for (let n = 0; n < 4; n += 1) alone.push(await count(counters))
    expect(alone).toEqual([true, true, false, false])
    await redis.commands.connect()
    const other = redisCounters(await connect(redis.prefix), clock, silent)
    await other.update(['other'], () => ({ states: [5], ttlMs: 60_000, result: undefined }))
    const seen = () => counters.update<number, unknown>(['other'], ([n]) => ({ ttlMs: 0, result: n }))
    await expect.poll(seen).toBe(5)
  })
})

test('a connection on which Redis says nothing any more is made again, so that nothing piles up', async () => {
  const way = await openFakeWay(server)
  const redis = await openRedis(way.url, silent)
  try {
    await redis.commands.ping()
    way.holdUp()
    await expect(redis.commands.ping()).rejects.toThrow(/timed out/)
    const isServed = () => redis.commands.ping().catch(() => undefined)
    await expect.poll(isServed, { timeout: 20_000 }).toBe('PONG')
  } finally {
    await redis.close()
    way.close()
  }
})

test('says where the Redis server is that cannot be used', async () => {
  const opening = openRedis('redis://me:secret@127.0.0.1:1/3', silent)
  await expect(opening).rejects.toThrow(/Redis server at 127\.0\.0\.1:1 cannot be used/)
  await expect(opening).rejects.not.toThrow(/secret/)
})
