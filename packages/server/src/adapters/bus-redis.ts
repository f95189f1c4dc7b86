import type { Redis } from 'ioredis'
import { z } from 'zod'
import type { Bus, Clock, Log } from '../ports.js'
import { memoryBus } from './bus-memory.js'
import type { RedisConnections } from './redis-connection.js'
import { TurnBatch } from './turn-batch.js'

/** Nothing that travels between nodes is longer. */
const MAX_LENGTH = 8 * 1024 * 1024

/** So much later than its time a request is still taken, since no two clocks are the same; by more it is not. */
const MOST_LATE_MS = 5_000

/**
 * What a node tells the others on a subject. With a `request` it wants to know what became of it, even if that is nothing, `until` then by
 * its clock: a Redis that hung delivers later what was given up long ago.
 */
const Envelope = z.object({
  from: z.string().max(64),
  request: z.number().int().optional(),
  until: z.number().optional(),
  payload: z.unknown().optional(),
})

/** What a node answers to a request, on the channel of the node that asked. Without an answer nobody there had one. */
const Reply = z.object({ request: z.number().int(), answer: z.unknown().optional() })

/** Tells several channels something, in order. */
const PUBLISH_ALL = `for i, channel in ipairs(KEYS) do redis.call('publish', channel, ARGV[i]) end`

type Telling = Redis & { publishAll(channels: number, ...channelsAndTexts: string[]): Promise<unknown> }

/** The bus, and what belongs to it for whatever publishes through Redis in a way of its own. */
export interface RedisBus extends Bus {
  /** What every message of this node begins with: behind it come the payload's JSON and a brace. */
  readonly head: string
  channelOf(subject: string): string
  /** Tells the handlers of this node alone. */
  publishHere(subject: string, payload: unknown): void
  /** Sends what was published so far. */
  flush(): void
}

interface Asked {
  /** How many nodes have not said yet what became of it; unknown until Redis says how many heard it. */
  left: number | undefined
  heard: number
  resolve(answer: unknown): void
}

/**
 * A bus between nodes. Within a node messages go the short way, as they do in one process; other nodes hear them through Redis. While
 * Redis is away each node hears itself alone.
 *
 * @param node a name that no other node has
 */
export async function openRedisBus(
  { commands, hearing, prefix }: RedisConnections,
  node: string,
  clock: Clock,
  log: Log,
): Promise<RedisBus> {
  const local = memoryBus(log)
  /** How many handlers each subject has here. */
  const counts = new Map<string, number>()
  const asked = new Map<number, Asked>()
  let lastRequest = 0
  const channelOf = (subject: string): string => `${prefix}bus:${subject}`
  const repliesOf = (name: string): string => `${prefix}replies:${name}`
  const unheard = (err: unknown): void => log.debug({ err }, 'other nodes did not hear a message')

  commands.defineCommand('publishAll', { lua: PUBLISH_ALL })
  const redis = commands as Telling
  // Every status passes here, and a command costs more than what it does.
  const told = new TurnBatch<{ readonly channel: string; readonly text: string }>((some) => {
    const [channels, texts] = [some.map(({ channel }) => channel), some.map(({ text }) => text)]
    redis.publishAll(some.length, ...channels, ...texts).catch(unheard)
  })

  /** After what was told before. */
  async function send(channel: string, message: object): Promise<number> {
    told.flush()
    return commands.publish(channel, JSON.stringify(message))
  }

  function settle(request: number, answer: unknown): void {
    const one = asked.get(request)
    if (one === undefined) return
    one.heard += 1
    if (answer !== undefined || (one.left !== undefined && one.heard >= one.left)) one.resolve(answer)
  }

  async function hear(
    subject: string,
    { from, request, until = Infinity, payload }: z.infer<typeof Envelope>,
  ): Promise<void> {
    if (from === node) {
      // Our own: the handlers here have it already, and Redis has counted us among those who heard it.
      if (request !== undefined) settle(request, undefined)
      return
    }
    if (request === undefined) {
      local.publish(subject, payload)
      return
    }
    if (clock.now() > until + MOST_LATE_MS) {
      log.warn(
        { subject, from, late_ms: clock.now() - until },
        'a request of another node came too late, or the clocks differ',
      )
      return
    }
    const answer = await local.request(subject, payload, LONGEST_REQUEST_MS)
    await send(repliesOf(from), { request, answer })
  }

  hearing.on('message', (channel: string, text: string) => {
    const isReply = channel === repliesOf(node)
    const message = parse(text, isReply ? Reply : Envelope)
    if (message === undefined) {
      log.warn({ channel, length: text.length }, 'what another node sent cannot be read')
    } else if ('from' in message) {
      hear(channel.slice(channelOf('').length), message).catch(unheard)
    } else settle(message.request, message.answer)
  })
  // Known beforehand, or what is told first would be sent twice, the second time after what came next.
  await Promise.all([hearing.subscribe(repliesOf(node)), commands.script('LOAD', PUBLISH_ALL)])

  /** What the other nodes answer; undefined when none of them has one, or none in time. */
  function requestOthers(subject: string, payload: unknown, timeoutMs: number): Promise<unknown> {
    lastRequest += 1
    const request = lastRequest
    return new Promise((resolve) => {
      const end = (answer?: unknown): void => {
        clearTimeout(timer)
        asked.delete(request)
        resolve(answer)
      }
      const timer = setTimeout(end, timeoutMs)
      const one: Asked = { left: undefined, heard: 0, resolve: end }
      asked.set(request, one)
      send(channelOf(subject), { from: node, request, until: clock.now() + timeoutMs, payload }).then(
        (heardBy) => {
          one.left = heardBy
          if (one.heard >= heardBy) end()
        },
        (err: unknown) => {
          unheard(err)
          end()
        },
      )
    })
  }

  return {
    head: `{"from":${JSON.stringify(node)},"payload":`,
    channelOf,
    publishHere: (subject, payload) => local.publish(subject, payload),
    flush: () => told.flush(),
    publish(subject, payload) {
      local.publish(subject, payload)
      told.add({ channel: channelOf(subject), text: JSON.stringify({ from: node, payload }) })
    },
    subscribe(subject, handler) {
      const stop = local.subscribe(subject, handler)
      const before = counts.get(subject) ?? 0
      counts.set(subject, before + 1)
      if (before === 0) hearing.subscribe(channelOf(subject)).catch(unheard)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        stop()
        const left = (counts.get(subject) ?? 1) - 1
        if (left > 0) {
          counts.set(subject, left)
          return
        }
        counts.delete(subject)
        hearing.unsubscribe(channelOf(subject)).catch(unheard)
      }
    },
    request(subject, payload, timeoutMs) {
      return firstAnswer([local.request(subject, payload, timeoutMs), requestOthers(subject, payload, timeoutMs)])
    },
    async close() {
      told.flush()
      counts.clear()
      for (const one of [...asked.values()]) one.resolve(undefined)
      await local.close()
    },
  }
}

/** How long handlers here may take for another node; whoever asked has its own, shorter limit. */
const LONGEST_REQUEST_MS = 120_000

function firstAnswer(answers: readonly Promise<unknown>[]): Promise<unknown> {
  return new Promise((resolve) => {
    for (const answer of answers) void answer.then((value) => value !== undefined && resolve(value))
    void Promise.all(answers).then(() => resolve(undefined))
  })
}

function parse<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> | undefined {
  if (text.length > MAX_LENGTH) return undefined
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
