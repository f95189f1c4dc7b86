import type { Redis } from 'ioredis'
import { CLOCK_SKEW_MS } from '../clock-skew.js'
import type { Clock, LiveStore, Log } from '../ports.js'
import type { RedisConnections } from './redis-connection.js'

/**
 * Keeps a value unless a newer one is there. In one step, since several nodes may put at once. `until` is by the nodes' clock, so that
 * all of them agree on what has run out; Redis removes it by its own. What has more time left than it was ever given was put before a clock
 * was set back: it gives way.
 */
const PUT = `
local kept = redis.call('hmget', KEYS[1], 'ts', 'until')
local ts, now = tonumber(ARGV[1]), tonumber(ARGV[3])
local left = (tonumber(kept[2] or 0) or 0) - now
local isSetBack = left > tonumber(ARGV[5]) + ${CLOCK_SKEW_MS}
if kept[1] and left > 0 and not isSetBack and ts < tonumber(kept[1]) then return 0 end
redis.call('hset', KEYS[1], 'ts', ARGV[1], 'until', ARGV[4], 'value', ARGV[2])
redis.call('pexpire', KEYS[1], ARGV[5])
return 1`

type Putting = Redis & {
  putNewest(key: string, ts: string, value: string, now: string, until: string, ttl: string): Promise<unknown>
}

/**
 * Live values in Redis, the same for all nodes. While Redis is away there are none, and what is put counts as applied: losing a live
 * value is harmless, while holding up a message would lose what must be kept.
 */
export function redisLiveStore({ commands, prefix }: RedisConnections, clock: Clock, log: Log): LiveStore {
  commands.defineCommand('putNewest', { numberOfKeys: 1, lua: PUT })
  const redis = commands as Putting
  const nameOf = (key: string): string => `${prefix}live:${key}`

  async function unlessAway<T>(work: () => Promise<T>, instead: T): Promise<T> {
    try {
      return await work()
    } catch (err) {
      log.debug({ err }, 'a live value is missing')
      return instead
    }
  }

  async function getMany(keys: readonly string[]): Promise<unknown[]> {
    if (keys.length === 0) return []
    const nothing = keys.map(() => undefined)
    return unlessAway(async () => {
      const pipeline = redis.pipeline()
      for (const key of keys) pipeline.hmget(nameOf(key), 'until', 'value')
      const replies = (await pipeline.exec()) ?? []
      const now = clock.now()
      return keys.map((_, index) => valueOf(replies[index]?.[1], now))
    }, nothing)
  }

  return {
    put: (key, value, { ts, ttlMs }) =>
      unlessAway(async () => {
        const now = clock.now()
        const ttl = String(Math.max(1, Math.ceil(ttlMs)))
        const text = JSON.stringify(value)
        return (await redis.putNewest(nameOf(key), String(ts), text, String(now), String(now + ttlMs), ttl)) === 1
      }, true),
    get: async (key) => (await getMany([key]))[0],
    getMany,
    remove: (key) =>
      unlessAway(async () => {
        await redis.del(nameOf(key))
      }, undefined),
    // The connections are closed by whoever opened them.
    async close() {},
  }
}

/** One reply of `hmget`: the instant at which the value runs out, and its JSON. */
function valueOf(reply: unknown, now: number): unknown {
  if (!Array.isArray(reply)) return undefined
  const [until, text]: unknown[] = reply
  return typeof text === 'string' && Number(until) > now ? (JSON.parse(text) as unknown) : undefined
}
