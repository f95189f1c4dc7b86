import type { Redis } from 'ioredis'
import { OFFER, RELEASE, RENEW, TAKE } from './look-queue-scripts.js'
import type { RedisConnections } from './redis-connection.js'

/** A picture that waits longer says nothing of now: Redis forgets it by itself. */
export const WAITS_MS = 60_000
/** A detector that was not heard of for so long has lost what it took. */
export const LEASE_MS = 10_000
/** Pictures that wait, of all cameras together, and how large they may be together: what Redis holds is bounded by both. */
const MAX_WAITING = 2_000
const MAX_WAITING_BYTES = 256 * 1024 * 1024

/** Who asked for a look, and which one it is. */
export interface LookTicket {
  readonly ticket: string
  /** The node that asked. */
  readonly from: string
}

/** A picture that waits for a detector. */
export interface QueuedLook extends LookTicket {
  /** Of each key only the newest waits. */
  readonly key: string
  /** Groups take turns. */
  readonly group: string
  /** When the picture was taken, in milliseconds: newer ones win. */
  readonly at: number
  /** How to look, as JSON. */
  readonly options: string
  readonly picture: Uint8Array
}

/** A look that was handed out: its key is leased to whoever took it. What it says is as it was found, and may be of another version. */
export interface TakenLook extends LookTicket {
  readonly key: string
  readonly options: string
  readonly picture: Uint8Array
}

/** Pictures on their way to detectors, between nodes. All of it rejects while Redis is away. */
export interface LookQueue {
  /** Lets a picture wait. Hands back those that gave way: the older one of its key, what was too much, or itself. */
  offer(look: QueuedLook): Promise<LookTicket[]>
  /** Hands out the next one and leases its key, so that nobody looks at a newer one meanwhile. */
  take(): Promise<TakenLook | undefined>
  /** Goes on with a lease; false when it has run out and the key went to somebody else. */
  renew(taken: Pick<TakenLook, 'key' | 'ticket'>): Promise<boolean>
  release(taken: Pick<TakenLook, 'key' | 'ticket'>): Promise<void>
}

export interface LookQueueLimits {
  readonly maxWaiting: number
  readonly maxBytes: number
  readonly leaseMs: number
  readonly waitsMs: number
}

type Scripted = Redis & {
  offerLook(base: string, ...args: (string | Buffer)[]): Promise<unknown>
  takeLookBuffer(base: string, ...args: string[]): Promise<unknown>
  renewLook(base: string, ...args: string[]): Promise<unknown>
  releaseLook(base: string, ...args: string[]): Promise<unknown>
}

const LIMITS: LookQueueLimits = {
  ...{ maxWaiting: MAX_WAITING, maxBytes: MAX_WAITING_BYTES },
  ...{ leaseMs: LEASE_MS, waitsMs: WAITS_MS },
}

/**
 * The queue in Redis, picture and place in one step: what gave way is gone with its bytes, and of several detectors one gets each picture.
 */
export function redisLookQueue({ commands, prefix }: RedisConnections, limits: LookQueueLimits = LIMITS): LookQueue {
  const scripts = { offerLook: OFFER, takeLook: TAKE, renewLook: RENEW, releaseLook: RELEASE }
  for (const [name, lua] of Object.entries(scripts)) commands.defineCommand(name, { numberOfKeys: 1, lua })
  const redis = commands as Scripted
  const base = `${prefix}looks:`
  const lease = String(limits.leaseMs)

  return {
    async offer({ ticket, from, key, group, at, options, picture }) {
      const bounds = [String(limits.maxWaiting), String(limits.waitsMs), String(limits.maxBytes)]
      const bytes = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength)
      const gone = await redis.offerLook(base, ticket, from, key, group, String(at), options, ...bounds, bytes)
      return pairsOf(gone)
    },
    async take() {
      const taken = await redis.takeLookBuffer(base, lease)
      if (!Array.isArray(taken)) return undefined
      const [key, ticket, from, options, picture]: unknown[] = taken
      if (!Buffer.isBuffer(picture)) return undefined
      return { key: String(key), ticket: String(ticket), from: String(from), options: String(options), picture }
    },
    renew: async ({ key, ticket }) => (await redis.renewLook(base, key, ticket, lease)) === 1,
    async release({ key, ticket }) {
      await redis.releaseLook(base, key, ticket)
    },
  }
}

/** `[ticket, from, ticket, from, …]` */
function pairsOf(reply: unknown): LookTicket[] {
  const texts = Array.isArray(reply) ? reply.map(String) : []
  return texts.flatMap((ticket, index) => (index % 2 === 0 ? [{ ticket, from: texts[index + 1] ?? '' }] : []))
}
