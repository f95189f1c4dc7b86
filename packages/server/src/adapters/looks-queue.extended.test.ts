import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { Detector } from '../detection/detector.js'
import { findingsOf, HeldDetector, looksContract } from '../detection/looks.contract.js'
import type { LookEnd } from '../detection/looks.js'
import { openRedisBus } from './bus-redis.js'
import { knowDetectors } from './detector-presence.js'
import { type LookQueueLimits, type QueuedLook, redisLookQueue, type TakenLook } from './look-queue-redis.js'
import { type LookServer, serveLooks } from './look-server.js'
import { answersSubject, queuedLooks } from './looks-queue.js'
import { openRedis } from './redis-connection.js'
import { TEST_REDIS_URL } from './testing.js'

// Pictures on their way through a real Redis, between nodes that have nothing else in common.

if (TEST_REDIS_URL === undefined) throw new Error('PRINTWARDEN_TEST_REDIS_URL names no Redis server')
const server = TEST_REDIS_URL
const silent = { error() {}, warn() {}, info() {}, debug() {} }
const MIB = 1024 * 1024
const LIMITS: LookQueueLimits = { maxWaiting: 100, maxBytes: 64 * MIB, leaseMs: 60_000, waitsMs: 60_000 }
const PATIENCE = { timeout: 30_000 }

const closing: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** One node: what it says to others under `prefix`, and the queue. */
async function openNode(prefix: string, limits = LIMITS) {
  const redis = { ...(await openRedis(server, silent)), prefix }
  const node = randomUUID()
  const bus = await openRedisBus(redis, node, { now: () => Date.now() }, silent)
  closing.push(() => redis.close())
  return { redis, bus, node, log: silent, queue: redisLookQueue(redis, limits) }
}

const newPrefix = (): string => `test:${randomUUID()}:`

async function openWeb(prefix: string, limits?: LookQueueLimits) {
  const node = await openNode(prefix, limits)
  const detectors = knowDetectors(node.bus, silent, 1500)
  const queued = queuedLooks({ ...node, detectors })
  closing.push(
    () => queued.detector.close(),
    () => detectors.close(),
  )
  return { ...node, ...queued, detectors }
}

async function openDetectorNode(prefix: string, detector: Detector, limits = LIMITS): Promise<LookServer> {
  const serving = serveLooks({ ...(await openNode(prefix, limits)), detector, leaseMs: limits.leaseMs })
  closing.push(async () => {
    await detector.close()
    await serving.close()
  })
  return serving
}

describe('looks at other nodes', () => {
  looksContract(async (detector) => {
    const prefix = newPrefix()
    const { looks, detectors } = await openWeb(prefix)
    await openDetectorNode(prefix, detector)
    await expect.poll(() => detectors.ready(), PATIENCE).toBe(true)
    return looks
  })

  test('two web nodes and two detectors: each picture is looked at once, and answered to who asked', async () => {
    const prefix = newPrefix()
    const webs = [await openWeb(prefix), await openWeb(prefix)]
    const detectors = [new HeldDetector(), new HeldDetector()]
    for (const detector of detectors) {
      detector.free()
      await openDetectorNode(prefix, detector)
    }
    const ends: string[] = []
    for (let key = 1; key <= 60; key++) {
      const name = `picture ${key}`
      webs[key % 2]?.looks.offer({
        ...{ key, group: key, at: 1 },
        ask: async () => ({ picture: Buffer.from(name) }),
        ended: async (end: LookEnd) =>
          void ends.push(`${name} ${end.type === 'found' ? end.findings.model : end.type}`),
      })
    }
    await expect.poll(() => ends.length, PATIENCE).toBe(60)
    expect(new Set(ends)).toEqual(new Set(Array.from({ length: 60 }, (_, n) => `picture ${n + 1} picture ${n + 1}`)))
    const seen = detectors.flatMap((detector) => detector.seen)
    expect(seen).toHaveLength(60)
    expect(new Set(seen).size).toBe(60)
  })

  test('any picture may be looked at, as by a detector of this process', async () => {
    const prefix = newPrefix()
    const { detector: remote, detectors } = await openWeb(prefix)
    expect(remote.problem?.()).toMatch(/PRINTWARDEN_ROLES/)
    await expect(remote.detect(Buffer.from('a'))).rejects.toMatchObject({ code: 'unavailable' })
    const detector = new HeldDetector()
    detector.free()
    const serving = await openDetectorNode(prefix, detector)
    await expect.poll(() => detectors.count(), PATIENCE).toBe(1)
    expect(await Promise.all(['a', 'b'].map((name) => remote.detect(Buffer.from(name))))).toEqual([
      findingsOf('a'),
      findingsOf('b'),
    ])
    // One that leaves says so.
    await serving.close()
    await expect.poll(() => remote.ready(), PATIENCE).toBe(false)
  })

  test('a picture that is handed out while a detector closes is looked at and answered', async () => {
    const { bus, queue, ...node } = await openNode(newPrefix())
    const answers: unknown[] = []
    closing.push(bus.subscribe(answersSubject('asker'), (answer) => void answers.push(answer)))
    let handOut: (taken: TakenLook) => void = () => {}
    const taking = new Promise<TakenLook>((resolve) => (handOut = resolve))
    const detector = new HeldDetector()
    detector.free()
    const slow = { ...queue, take: () => taking }
    const serving = serveLooks({ ...node, bus, queue: slow, detector, leaseMs: LIMITS.leaseMs })
    const closed = serving.close()
    handOut({ ticket: 't', from: 'asker', key: 'k', options: '{"tiles":true}', picture: Buffer.from('a') })
    await closed
    expect(answers).toMatchObject([{ type: 'found', ticket: 't' }])
  })

  test('of what was offered and taken, Redis forgets everything by itself', async () => {
    const { redis, queue } = await openNode(newPrefix())
    for (const key of ['a', 'b', 'c']) {
      await queue.offer({
        ticket: key,
        from: 'f',
        key,
        group: `of ${key}`,
        at: 1,
        options: '{}',
        picture: Buffer.from('x'),
      })
    }
    await queue.take()
    const keys = await redis.commands.keys(`${redis.prefix}looks:*`)
    expect(keys.length).toBeGreaterThan(8)
    const left = await Promise.all(keys.map(async (key) => [key, await redis.commands.pttl(key)] as const))
    expect(left.filter(([, ms]) => ms < 0)).toEqual([])
  })

  test.each(['{"tiles":"all"}', 'no JSON'])(
    'a look that is asked for as %s fails, and the next one is done',
    async (options) => {
      const prefix = newPrefix()
      const { bus, queue } = await openNode(prefix)
      const answers: unknown[] = []
      closing.push(bus.subscribe(answersSubject('newer'), (answer) => void answers.push(answer)))
      const detector = new HeldDetector()
      detector.free()
      await openDetectorNode(prefix, detector)
      const look = { ...{ from: 'newer', key: 'camera 1', group: 'printer 1' }, picture: Buffer.from('a') }
      await queue.offer({ ...look, ticket: 'first', at: 1, options })
      await expect
        .poll(() => answers, PATIENCE)
        .toMatchObject([{ type: 'failed', ticket: 'first', code: 'unavailable' }])
      await queue.offer({ ...look, ticket: 'second', at: 2, options: '{"tiles":true}' })
      await expect.poll(() => answers, PATIENCE).toMatchObject([{}, { type: 'found', ticket: 'second' }])
      expect(detector.seen).toEqual(['a'])
    },
  )

  test('whoever asked for what no detector knows is told, and so counts it as failed', async () => {
    const prefix = newPrefix()
    const { looks } = await openWeb(prefix)
    const detector = new HeldDetector()
    detector.free()
    await openDetectorNode(prefix, detector)
    const ends: LookEnd[] = []
    looks.offer({
      ...{ key: 1, group: 1, at: 1 },
      ask: async () => ({ picture: Buffer.from('a'), options: { tiles: 'all' as unknown as boolean } }),
      ended: async (end) => void ends.push(end),
    })
    await expect.poll(() => ends, PATIENCE).toMatchObject([{ type: 'failed', reason: { code: 'unavailable' } }])
    expect(detector.seen).toEqual([])
  })

  test('what cannot be read in the queue stops neither the detectors nor those who ask', async () => {
    const prefix = newPrefix()
    const { bus, queue, redis } = await openNode(prefix, { ...LIMITS, maxWaiting: 6 })
    const answers: unknown[] = []
    closing.push(bus.subscribe(answersSubject('web'), (answer) => void answers.push(answer)))
    // By hand, as something else on the same Redis might.
    async function lay(key: string, fields: object | string): Promise<void> {
      const [base, name] = [`${prefix}looks:`, `${prefix}looks:look:${key}`]
      await redis.commands.del(name)
      if (typeof fields === 'string') await redis.commands.set(name, fields)
      else await redis.commands.hset(name, fields)
      await redis.commands.zadd(`${base}age`, 1, key)
      await redis.commands.zadd(`${base}group:bad`, 1, key)
      await redis.commands.zadd(`${base}order`, 1, 'bad')
    }
    const entries = { text: 'no hash', 'no ticket': { picture: 'a' }, 'no group': { ticket: '1', from: 'web' } }
    for (const [key, fields] of Object.entries(entries)) await lay(key, fields)
    const good = { ...{ from: 'web', group: 'good', options: '{}' }, picture: Buffer.from('a') }
    // What is too much goes, bad or not.
    for (const at of [11, 12, 13, 14, 15]) await queue.offer({ ...good, key: `key ${at}`, ticket: `${at}`, at })
    expect(await redis.commands.zcard(`${prefix}looks:age`)).toBe(6)
    await queue.offer({ ...good, key: 'no ticket', ticket: '16', at: 16 })
    for (const [key, fields] of Object.entries(entries)) await lay(key, fields)
    await lay('no picture', { ticket: 'bare', from: 'web', group: 'bad', at: '1', options: '{}' })
    const detector = new HeldDetector()
    detector.free()
    const warned: object[] = []
    const log = { ...silent, warn: (fields: object) => void warned.push(fields) }
    const serving = serveLooks({ ...(await openNode(prefix)), detector, leaseMs: LIMITS.leaseMs, log })
    closing.push(() => serving.close())
    const types = (): unknown[] =>
      answers
        .map((answer) =>
          Object.values(answer as object)
            .slice(0, 2)
            .join(' '),
        )
        .toSorted()
    const expected = ['failed 1', 'failed bare', ...['11', '12', '13', '14', '15'].map((ticket) => `found ${ticket}`)]
    await expect.poll(types, PATIENCE).toEqual(expected)
    expect(warned).toHaveLength(1)
    expect(await queue.take()).toBeUndefined()
  })

  test('a detector that dies without a word is noticed', async () => {
    const prefix = newPrefix()
    const { detectors, bus } = await openWeb(prefix)
    bus.publish('detectors', { node: 'dying', problem: null, isLeaving: false })
    await expect.poll(() => detectors.ready(), PATIENCE).toBe(true)
    await expect.poll(() => detectors.ready(), PATIENCE).toBe(false)
  })
})

describe('the queue', () => {
  const look = (key: string, at: number, group = key): QueuedLook => {
    const ticket = `${key}@${at}`
    return { ticket, from: 'web', key, group, at, options: '{}', picture: Buffer.from(ticket) }
  }
  const open = async (limits: Partial<LookQueueLimits> = {}) => {
    const { queue, redis } = await openNode(newPrefix(), { ...LIMITS, ...limits })
    return { queue, redis }
  }

  test('the oldest pictures give way when there are too many', async () => {
    const { queue, redis } = await open({ maxWaiting: 3 })
    for (const [key, at] of [
      ['a', 30],
      ['b', 10],
      ['c', 20],
    ] as const)
      expect(await queue.offer(look(key, at))).toEqual([])
    expect(await queue.offer(look('d', 40))).toEqual([{ ticket: 'b@10', from: 'web' }])
    expect(await queue.offer(look('e', 15))).toEqual([{ ticket: 'e@15', from: 'web' }])
    const taken = [await queue.take(), await queue.take(), await queue.take(), await queue.take()]
    expect(taken.map((one) => one?.ticket)).toEqual(['a@30', 'c@20', 'd@40', undefined])
    expect(String(taken[0]?.picture)).toBe('a@30')
    // Nothing of what gave way or was taken is left.
    expect(await redis.commands.keys(`${redis.prefix}looks:look:*`)).toEqual([])
  })

  test('of pictures that are large together the newest stay, Redis is not filled, and who gave way is told', async () => {
    const { queue, redis } = await open({ maxBytes: 16 * MIB })
    const memory = async (): Promise<number> =>
      Number(/^used_memory:(\d+)/m.exec(await redis.commands.info('memory'))?.[1]) / MIB
    const before = await memory()
    let most = 0
    const gone: string[] = []
    // 128 MiB in all; the first ones are the newest, so that it is not the order of arrival that decides.
    for (let at = 64; at > 0; at--) {
      const picture = Buffer.alloc(2 * MIB, at)
      gone.push(...(await queue.offer({ ...look(`camera ${at}`, at), picture })).map(({ ticket }) => ticket))
      most = Math.max(most, (await memory()) - before)
    }
    expect(gone).toEqual(Array.from({ length: 56 }, (_, index) => `camera ${56 - index}@${56 - index}`))
    // What waits, what is on its way, and what Redis rounds up.
    expect(most).toBeLessThan(40)
    for (let at = 64; at > 56; at--) {
      const taken = await queue.take()
      expect(taken?.ticket).toBe(`camera ${at}@${at}`)
      expect(taken && Buffer.alloc(2 * MIB, at).equals(taken.picture)).toBe(true)
    }
    expect(await queue.take()).toBeUndefined()
    expect(await redis.commands.exists(`${redis.prefix}looks:bytes`)).toBe(0)
  })

  test('a picture counts once: not the one before it, nor what was taken or forgotten; one that is too large alone gives way itself', async () => {
    const { queue, redis } = await open({ maxBytes: 1000, waitsMs: 2000 })
    const sized = (key: string, at: number, bytes: number) => ({ ...look(key, at), picture: Buffer.alloc(bytes) })
    for (let at = 1; at <= 5; at++) await queue.offer(sized('a', at, 400))
    expect(await queue.offer(sized('b', 6, 600))).toEqual([])
    expect((await queue.take())?.ticket).toBe('a@5')
    expect(await queue.offer(sized('c', 7, 400))).toEqual([])
    await expect.poll(() => redis.commands.keys(`${redis.prefix}looks:look:*`), PATIENCE).toEqual([])
    expect(await queue.offer(sized('d', 8, 1000))).toEqual([])
    expect(await queue.offer(sized('e', 9, 1001))).toEqual([
      { ticket: 'd@8', from: 'web' },
      { ticket: 'e@9', from: 'web' },
    ])
    expect(await queue.offer(sized('f', 10, 1000))).toEqual([])
  })

  test('a detector that dies costs the picture it had: when its lease has run out, the next one is handed out', async () => {
    const { queue } = await open({ leaseMs: 1500 })
    await queue.offer(look('a', 1))
    const held = await queue.take()
    await queue.offer(look('a', 2))
    expect(await queue.take()).toBeUndefined()
    expect(held && (await queue.renew(held))).toBe(true)
    await expect.poll(async () => (await queue.take())?.ticket, PATIENCE).toBe('a@2')
    // Who comes back finds that it is somebody else's, and ends nothing.
    expect(held && (await queue.renew(held))).toBe(false)
    if (held !== undefined) await queue.release(held)
    await queue.offer(look('a', 3))
    expect((await queue.take())?.ticket).not.toBe('a@2')
  })

  test('a picture that nobody takes is forgotten, with its bytes', async () => {
    const { queue, redis } = await open({ waitsMs: 1000 })
    await queue.offer(look('a', 1))
    await expect.poll(() => redis.commands.exists(`${redis.prefix}looks:look:a`), PATIENCE).toBe(0)
    expect(await queue.take()).toBeUndefined()
    await queue.offer(look('a', 2))
    expect((await queue.take())?.ticket).toBe('a@2')
  })

  test('under load every group has its turn, and gets its newest picture', async () => {
    const { queue } = await open()
    const turns = new Map<string, number>()
    for (let round = 1; round <= 20; round++) {
      // Five printers offer, and there is room for one: each fifth turn is theirs.
      for (const key of ['a', 'b', 'c', 'd', 'e']) await queue.offer(look(key, round))
      const taken = await queue.take()
      if (taken === undefined) throw new Error('nothing to look at')
      expect(taken.ticket).toBe(`${taken.key}@${round}`)
      turns.set(taken.key, (turns.get(taken.key) ?? 0) + 1)
      await queue.release(taken)
    }
    expect([...turns.values()]).toEqual([4, 4, 4, 4, 4])
  })
})
