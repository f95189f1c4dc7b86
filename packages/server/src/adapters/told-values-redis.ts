import type { Redis } from 'ioredis'
import type { Clock, Log, PutAndPublish } from '../ports.js'
import type { RedisBus } from './bus-redis.js'
import { KEEP_NEWEST, liveName } from './live-redis.js'
import type { RedisConnections } from './redis-connection.js'
import { TurnBatch } from './turn-batch.js'

/**
 * Keeps values as `put` does, and tells the channel of each that is kept what it is, between what every message begins with and what stands
 * around the value. So each travels to Redis once.
 */
const PUT_AND_PUBLISH = `
${KEEP_NEWEST}
local from, now = ARGV[1], ARGV[2]
local applied = {}
for i = 1, #KEYS, 2 do
  local first = (i - 1) / 2 * 6 + 3
  local ts, till, ttl, before, value, after = unpack(ARGV, first, first + 5)
  local isKept = keepNewest(KEYS[i], ts, value, now, till, ttl)
  if isKept == 1 then redis.call('publish', KEYS[i + 1], from .. before .. value .. after) end
  applied[#applied + 1] = isKept
end
return applied`

type Scripted = Redis & { putAndPublish(keys: number, ...keysAndValues: string[]): Promise<unknown> }

interface Report {
  readonly keys: readonly [key: string, channel: string]
  readonly ttlMs: number
  /** ts, and what stands before, in and behind the value. */
  readonly values: readonly [ts: string, before: string, value: string, after: string]
  resolve(isApplied: boolean): void
}

/** Puts and publishes by one command of a turn of the event loop. While Redis is away, as `put` and `publish` of the two ports do. */
export function redisPutAndPublish(
  { commands, prefix }: RedisConnections,
  bus: RedisBus,
  clock: Clock,
  log: Log,
): PutAndPublish {
  commands.defineCommand('putAndPublish', { lua: PUT_AND_PUBLISH })
  const redis = commands as Scripted

  const reports = new TurnBatch<Report>((some) => {
    // What was told before is heard before.
    bus.flush()
    const now = clock.now()
    const keys: string[] = []
    const values = [bus.head, String(now)]
    for (const {
      keys: of,
      ttlMs,
      values: [ts, before, value, after],
    } of some) {
      keys.push(...of)
      values.push(ts, String(now + ttlMs), String(Math.max(1, Math.ceil(ttlMs))), before, value, after)
    }
    redis.putAndPublish(keys.length, ...keys, ...values).then(
      (applied) => some.forEach((one, index) => one.resolve(!Array.isArray(applied) || applied[index] === 1)),
      (err: unknown) => {
        log.debug({ err, values: some.length }, 'live values were not put')
        for (const one of some) one.resolve(true)
      },
    )
  })

  return async (key, { text }, { ts, ttlMs }, { subject, notice, before, after }) => {
    const isApplied = await new Promise<boolean>((resolve) => {
      const values = [String(ts), before, text, `${after}}`] as const
      reports.add({ keys: [liveName(prefix, key), bus.channelOf(subject)], ttlMs, values, resolve })
    })
    if (isApplied) bus.publishHere(subject, notice)
    return isApplied
  }
}
