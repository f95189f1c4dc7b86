import type { Redis } from 'ioredis'
import type { Clock, Counters, CounterStep, Log } from '../ports.js'
import { CounterStates } from './counter-states.js'
import { stateOf, textOf, updateHere } from './counters-memory.js'
import type { RedisConnections } from './redis-connection.js'

/**
 * Writes new states unless another node has changed one of them: then it hands back what stands there now. All arguments are texts, the
 * expected ones first, and an empty one stands for nothing.
 */
const REPLACE = `
local count = #KEYS
local current, isSame = {}, true
for i = 1, count do
  current[i] = redis.call('get', KEYS[i]) or ''
  if current[i] ~= ARGV[i] then isSame = false end
end
if not isSame then return current end
for i = 1, count do
  local text = ARGV[count + i]
  if text == '' then redis.call('del', KEYS[i])
  else redis.call('set', KEYS[i], text, 'px', ARGV[2 * count + 1]) end
end
return false`

type Replacing = Redis & {
  replaceStates(count: number, ...keysAndTexts: string[]): Promise<unknown>
}

/** Each time another node was faster. More is a sign that something is wrong. */
const MAX_TRIES = 50

/** After a failure this node counts by itself for so long before Redis is asked again: else each request would wait for it. */
const AWAY_MS = 1000

/**
 * Counters in Redis, the same for all nodes. What this node saw last is remembered: mostly it still holds, so that a step costs one round
 * trip, and while Redis is away the node goes on from there by itself.
 */
export function redisCounters({ commands, prefix }: RedisConnections, clock: Clock, log: Log): Counters {
  commands.defineCommand('replaceStates', { lua: REPLACE })
  const redis = commands as Replacing
  const seen = new CounterStates(clock)
  const inTurn = turnsByKey()
  /** By the monotonic clock. */
  let awayUntil = 0
  const isAway = (): boolean => performance.now() < awayUntil

  async function updateThere<State, Result>(
    keys: readonly string[],
    step: (states: readonly (State | undefined)[]) => CounterStep<State, Result>,
  ): Promise<Result> {
    let expected = keys.map((key) => seen.get(key) ?? '')
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const after = step(expected.map((text) => stateOf(text === '' ? undefined : text) as State | undefined))
      // Without a change it is only asked whether what is known here still holds.
      const texts = after.states === undefined ? expected : after.states.map((state) => textOf(state) ?? '')
      const ttlMs = Math.max(1, Math.ceil(after.ttlMs))
      const current =
        after.states === undefined
          ? await statesThere(redis, keys, prefix, expected)
          : await redis.replaceStates(
              keys.length,
              ...keys.map((key) => `${prefix}limit:${key}`),
              ...[...expected, ...texts, String(ttlMs)],
            )
      if (!Array.isArray(current)) {
        if (after.states !== undefined) keys.forEach((key, index) => seen.set(key, texts[index] || undefined, ttlMs))
        return after.result
      }
      expected = current.map(String)
    }
    throw new Error('other nodes were always faster')
  }

  return {
    update: (keys, step) => {
      if (isAway()) return Promise.resolve(updateHere(seen, keys, step))
      return inTurn(keys, async () => {
        if (isAway()) return updateHere(seen, keys, step)
        try {
          return await updateThere(keys, step)
        } catch (err) {
          // Fails too when it is the step that has failed.
          const result = updateHere(seen, keys, step)
          log.debug({ err }, 'limits are counted by this node alone')
          awayUntil = performance.now() + AWAY_MS
          return result
        }
      })
    },
  }
}

/** What stands there, if it is not what was expected. */
async function statesThere(
  redis: Redis,
  keys: readonly string[],
  prefix: string,
  expected: readonly string[],
): Promise<string[] | undefined> {
  const current = (await redis.mget(keys.map((key) => `${prefix}limit:${key}`))).map((text) => text ?? '')
  return current.every((text, index) => text === expected[index]) ? undefined : current
}

/** Work on the same key, one after another: side by side each would find that another one was faster. */
function turnsByKey(): <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T> {
  const turns = new Map<string, Promise<unknown>>()
  return (keys, work) => {
    const mine = Promise.all(keys.map((key) => turns.get(key) ?? Promise.resolve())).then(work)
    const over = mine.catch(() => undefined)
    for (const key of keys) turns.set(key, over)
    void over.then(() => {
      for (const key of keys) if (turns.get(key) === over) turns.delete(key)
    })
    return mine
  }
}
