import { Redis } from 'ioredis'
import type { Log } from '../ports.js'

/** Long, since a process that starts on a small machine is busy with itself for seconds. */
const CONNECT_TIMEOUT_MS = 20_000
const COMMAND_TIMEOUT_MS = 2_000
/** A Redis that hangs: what nobody waits for any more must not pile up until it answers. */
const SILENCE_MS = 5_000
const LONGEST_PAUSE_MS = 2_000

/** Connections to one Redis server: channels are heard on one of their own, as Redis asks for. */
export interface RedisConnections {
  readonly commands: Redis
  readonly hearing: Redis
  /** Stands before every key and channel. Channels know no databases, so its number is in it. */
  readonly prefix: string
  close(): Promise<void>
}

/**
 * Connects to the Redis of `url`, such as redis://user:password@host:6379/0. A connection that is lost is made again by itself.
 *
 * @throws when it cannot be reached; the message names it, without the password
 */
export async function openRedis(url: string, log: Log): Promise<RedisConnections> {
  const { host, pathname } = new URL(url)
  const database = /^\/(\d+)$/.exec(pathname)?.[1] ?? '0'
  const commands = connectionTo(url, log)
  // What is heard must not be asked for by commands with an answer in time: a subscription waits until Redis is back.
  const hearing = connectionTo(url, log, true)
  try {
    await Promise.all([commands.connect(), hearing.connect()])
  } catch (cause) {
    commands.disconnect()
    hearing.disconnect()
    throw new Error(`the Redis server at ${host} cannot be used: ${reasonOf(cause)}`, { cause })
  }
  return {
    commands,
    hearing,
    prefix: `printwarden:${database}:`,
    async close() {
      hearing.disconnect()
      // What was said last, such as that this node leaves, is to be heard: it is on its way before Redis says good-bye.
      await commands.quit().catch(() => undefined)
      commands.disconnect()
    },
  }
}

function connectionTo(url: string, log: Log, isHearing = false): Redis {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    // A server that has become a replica keeps its connections; by the same name the new one may answer.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), LONGEST_PAUSE_MS),
    ...(isHearing
      ? { maxRetriesPerRequest: null }
      : // Fast and lost is better than late: what goes through Redis is worth something only now.
        {
          ...{ maxRetriesPerRequest: 0, enableOfflineQueue: false },
          ...{ commandTimeout: COMMAND_TIMEOUT_MS, socketTimeout: SILENCE_MS },
        }),
  })
  let isAway = false
  redis.on('error', (err: unknown) => {
    if (!isAway) log.warn({ err }, 'Redis cannot be reached')
    isAway = true
  })
  redis.on('ready', () => {
    if (isAway) log.info({}, 'Redis is back')
    isAway = false
  })
  return redis
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
