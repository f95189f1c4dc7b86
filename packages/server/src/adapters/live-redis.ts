import type { Redis } from 'ioredis'
import { CLOCK_SKEW_MS } from '../clock-skew.js'
import { type Clock, JsonText, type LiveStore, type Log } from '../ports.js'
import { LastValues } from './live-redis-values.js'
import type { RedisConnections } from './redis-connection.js'
import { TurnBatch } from './turn-batch.js'

const VALUES_OF_PUT = 5

/**
 * Keeps each value unless a newer one is there. In one step, since several nodes may put at once. `till` is by the nodes' clock, so that
 * all of them agree on what has run out; Redis removes it by its own. What has more time left than it was ever given was put before a clock
 * was set back: it gives way.
 */
export const KEEP_NEWEST = `
local function keepNewest(key, ts, value, now, till, ttl)
  local kept = redis.call('hmget', key, 'ts', 'until')
  local left = (tonumber(kept[2] or 0) or 0) - tonumber(now)
  local isSetBack = left > tonumber(ttl) + ${CLOCK_SKEW_MS}
  if kept[1] and left > 0 and not isSetBack and tonumber(ts) < tonumber(kept[1]) then return 0 end
  redis.call('hset', key, 'ts', ts, 'until', till, 'value', value)
  redis.call('pexpire', key, ttl)
  return 1
end`

const PUT = `
${KEEP_NEWEST}
local applied = {}
for i, key in ipairs(KEYS) do
  local first = (i - 1) * ${VALUES_OF_PUT} + 1
  applied[i] = keepNewest(key, unpack(ARGV, first, first + ${VALUES_OF_PUT - 1}))
end
return applied`

/** For each key when its value runs out, and the value. As one command: each one of its own costs the node more than Redis. */
const GET = `
local found = {}
for i = 1, #KEYS do
  local kept = redis.call('hmget', KEYS[i], 'until', 'value')
  found[2 * i - 1], found[2 * i] = kept[1], kept[2]
end
return found`

/** Redis does nothing else meanwhile: this many take it a fraction of a millisecond. */
const KEYS_AT_ONCE = 500

/** Under which name Redis has a live value. */
export const liveName = (prefix: string, key: string): string => `${prefix}live:${key}`

type Scripted = Redis & {
  getNewest(keys: number, ...names: string[]): Promise<unknown>
  putNewest(keys: number, ...keysAndValues: string[]): Promise<unknown>
}

/** A value on its way. */
interface Put {
  readonly key: string
  /** ts, value, now, till, ttl. */
  readonly values: readonly string[]
  resolve(isApplied: boolean): void
}

/** Values that somebody waits for. */
interface Get {
  readonly keys: readonly string[]
  resolve(values: unknown[]): void
}

/**
 * Live values in Redis, the same for all nodes. While Redis is away there are none, and what is put counts as applied: losing a live
 * value is harmless, while holding up a message would lose what must be kept.
 */
export function redisLiveStore({ commands, prefix }: RedisConnections, clock: Clock, log: Log): LiveStore {
  commands.defineCommand('putNewest', { lua: PUT })
  commands.defineCommand('getNewest', { lua: GET })
  const redis = commands as Scripted
  const last = new LastValues()
  const nameOf = (key: string): string => liveName(prefix, key)

  // Every status passes here, and a command costs more than what it does.
  const puts = new TurnBatch<Put>((some) => {
    const values = some.flatMap((put) => put.values)
    redis.putNewest(some.length, ...some.map(({ key }) => key), ...values).then(
      (applied) => some.forEach((put, index) => put.resolve(!Array.isArray(applied) || applied[index] === 1)),
      (err: unknown) => {
        log.debug({ err, values: some.length }, 'live values were not put')
        for (const put of some) put.resolve(true)
      },
    )
  })

  async function unlessAway<T>(work: () => Promise<T>, instead: T): Promise<T> {
    try {
      return await work()
    } catch (err) {
      log.debug({ err }, 'a live value is missing')
      return instead
    }
  }

  /** Lists read together, as what is put is: what was put before is found. */
  const gets = new TurnBatch<Get>((some) => {
    puts.flush()
    const keys = some.flatMap((get) => get.keys)
    const nothing = keys.map(() => undefined)
    void unlessAway(async () => {
      const parts = Array.from({ length: Math.ceil(keys.length / KEYS_AT_ONCE) }, (_, part) =>
        keys.slice(part * KEYS_AT_ONCE, (part + 1) * KEYS_AT_ONCE),
      )
      return (await Promise.all(parts.map(getPart))).flat()
    }, nothing).then((values) => {
      let from = 0
      for (const get of some) get.resolve(values.slice(from, (from += get.keys.length)))
    })
  })

  function getMany(keys: readonly string[]): Promise<unknown[]> {
    if (keys.length === 0) return Promise.resolve([])
    return new Promise((resolve) => gets.add({ keys, resolve }))
  }

  async function getPart(keys: readonly string[]): Promise<unknown[]> {
    const reply = await redis.getNewest(keys.length, ...keys.map(nameOf))
    const found: readonly unknown[] = Array.isArray(reply) ? reply : []
    const now = clock.now()
    return keys.map((key, index) => {
      const [until, text] = [found[2 * index], found[2 * index + 1]]
      return typeof text === 'string' && Number(until) > now ? last.read(key, text) : undefined
    })
  }

  return {
    put: (key, value, { ts, ttlMs }) =>
      new Promise((resolve) => {
        const now = clock.now()
        const ttl = Math.max(1, Math.ceil(ttlMs))
        const values = [
          String(ts),
          value instanceof JsonText ? value.text : JSON.stringify(value),
          String(now),
          String(now + ttlMs),
          String(ttl),
        ]
        puts.add({ key: nameOf(key), values, resolve })
      }),
    get: async (key) => (await getMany([key]))[0],
    getMany,
    remove: (key) =>
      unlessAway(async () => {
        puts.flush()
        await redis.del(nameOf(key))
      }, undefined),
    // The connections are closed by whoever opened them.
    async close() {
      puts.flush()
    },
  }
}
