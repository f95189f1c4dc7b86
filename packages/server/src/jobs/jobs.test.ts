import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { memoryBus } from '../adapters/bus-memory.js'
import { openTestDatabase } from '../adapters/testing.js'
import type { Database } from '../ports.js'
import { keptLog } from '../testing.js'
import { MAX_ATTEMPTS } from './backoff.js'
import { JOBS_SUBJECT, jobFlow, type JobKind } from './flow.js'
import {
  buryJob,
  claimJob,
  enqueueJob,
  failJob,
  finishJob,
  handBackAllJobs,
  handBackJob,
  listDeadJobs,
  nextJobAt,
  renewClaim,
} from './store.js'

const LEASE = 30_000
let folder = ''
let database: Database
let now = 1_000_000
const log = keptLog()
const clock = { now: () => now }
const bus = memoryBus(log)
let tokens = 0
const secrets = { newToken: () => `worker${(tokens += 1)}` }

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'printwarden-jobs-'))
  database = await openTestDatabase(folder)
  now = 1_000_000
})
afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

const ask = (key: string, runAt = now, kind = 'work') =>
  database.transaction((trx) => enqueueJob(trx, { kind, key, payload: { key }, runAt }, now))
const claim = (worker = 'a', kinds = ['work']) => claimJob(database.db, kinds, worker, now, LEASE)
const all = () => database.db.selectFrom('jobs').selectAll().orderBy('id').execute()

test('eight workers take each of 200 jobs exactly once', async () => {
  await database.transaction(async (trx) => {
    for (let index = 0; index < 200; index++) {
      await enqueueJob(trx, { kind: 'work', key: `job${index}`, payload: { index }, runAt: now }, now)
    }
  })
  const taken: string[] = []
  const kinds = {
    work: {
      run: async ({ payload }: { payload: unknown }) => {
        taken.push(JSON.stringify(payload))
      },
    },
  }
  const flows = Array.from({ length: 8 }, () => jobFlow({ database, bus, clock, log, secrets, kinds }))
  for (const flow of flows) flow.start()
  await vi.waitFor(async () => expect(await all()).toEqual([]), 200_000)
  await Promise.all(flows.map((flow) => flow.close()))
  expect(taken.length).toBe(200)
  expect(new Set(taken).size).toBe(200)
}, 300_000)

test('a job that is rolled back with its data was never asked for', async () => {
  const asking = database.transaction(async (trx) => {
    await enqueueJob(trx, { kind: 'work', key: 'x', payload: {}, runAt: now }, now)
    throw new Error('rolled back')
  })
  await expect(asking).rejects.toThrow('rolled back')
  expect(await all()).toEqual([])
})

test('a job of another kind, or one that is not due, is not handed out', async () => {
  await ask('later', now + 1)
  await ask('other', now, 'other')
  expect(await claim()).toBeUndefined()
  expect(await nextJobAt(database.db, ['work'])).toBe(now + 1)
  now += 1
  expect(await claim()).toMatchObject({ key: 'later', attempts: 1 })
})

test('the job of a worker that was killed comes back when its lease is over, and the dead worker has no say', async () => {
  await ask('x')
  const first = await claim('killed')
  expect(await claim('b')).toBeUndefined()
  now += LEASE + 1
  const second = await claim('b')
  expect(second).toMatchObject({ key: 'x', attempts: 2, worker: 'b' })
  if (first === undefined) throw new Error('nothing was claimed')
  await finishJob(database.db, first, now)
  await failJob(database.db, first, 'no', now, now)
  expect(await buryJob(database.db, first, 'no', now)).toBe(false)
  expect(await renewClaim(database.db, first, now + LEASE, 1)).toBe(false)
  expect(await all()).toMatchObject([{ state: 'running', worker: 'b' }])
})

test('after a restart of the only process its jobs are handed back at once, and the try has counted', async () => {
  await ask('x')
  await claim('killed')
  await handBackAllJobs(database.db, now)
  expect(await claim('b')).toMatchObject({ key: 'x', attempts: 2 })
})

test('a worker that says it is at it keeps its job', async () => {
  await ask('x')
  const job = await claim('a')
  now += LEASE - 1
  if (job === undefined) throw new Error('nothing was claimed')
  expect(await renewClaim(database.db, job, now + LEASE, 0.5)).toBe(true)
  now += LEASE - 1
  expect(await claim('b')).toBeUndefined()
  expect(await all()).toMatchObject([{ progress: 0.5 }])
})

test('asked for again while it is done, a job is done once more', async () => {
  await ask('x')
  const job = await claim()
  await ask('x', now + 5)
  expect(await all()).toMatchObject([{ state: 'running', wanted_again: 1 }])
  if (job === undefined) throw new Error('nothing was claimed')
  await finishJob(database.db, job, now)
  expect(await all()).toMatchObject([{ state: 'ready', wanted_again: 0, run_at: now + 5, attempts: 0 }])
})

test('asked for again while its last try fails, a job begins anew', async () => {
  await ask('x')
  const job = await claim()
  await ask('x', now + 5)
  if (job === undefined) throw new Error('nothing was claimed')
  expect(await buryJob(database.db, job, 'no', now)).toBe(false)
  expect(await all()).toMatchObject([{ state: 'ready', wanted_again: 0, run_at: now + 5, attempts: 0, error: null }])
})

test('asked for twice before it is done, a job is one', async () => {
  await ask('x')
  await ask('x', now + 5)
  expect(await all()).toMatchObject([{ state: 'ready', run_at: now + 5 }])
})

test('a job that is handed back has lost no try', async () => {
  await ask('x')
  const job = await claim()
  if (job === undefined) throw new Error('nothing was claimed')
  await handBackJob(database.db, job, now)
  expect(await claim('b')).toMatchObject({ attempts: 1 })
})

/** Runs a worker with one kind of job until `settled`, with the clock moved on meanwhile. */
async function work(kind: JobKind, settled: () => Promise<void>): Promise<void> {
  const flow = jobFlow({ database, bus, clock, log, secrets, kinds: { work: kind } })
  flow.start()
  await vi.waitFor(
    async () => {
      now += 4_000_000
      bus.publish(JOBS_SUBJECT, {})
      await settled()
    },
    { timeout: 20_000, interval: 20 },
  )
  await flow.close()
}

test('a job that fails is tried again, then counts as dead, and asked for again lives again', async () => {
  await ask('x')
  const gaveUp: unknown[] = []
  let tries = 0
  const kind: JobKind = {
    run: async () => {
      tries += 1
      throw new Error(`try ${tries}`)
    },
    gaveUp: async (payload) => () => void gaveUp.push(payload),
  }
  await work(kind, async () => expect(gaveUp).toEqual([{ key: 'x' }]))
  expect(tries).toBe(MAX_ATTEMPTS)
  expect(await listDeadJobs(database.db, 9)).toMatchObject([{ key: 'x', error: `try ${MAX_ATTEMPTS}` }])
  await ask('x')
  expect(await claim()).toMatchObject({ attempts: 1, key: 'x' })
})

test('of a job that is given up, both that it is dead and what that means are written, or neither', async () => {
  await ask('x')
  let givenUp = 0
  const told: unknown[] = []
  const kind: JobKind = {
    run: async () => {
      throw new Error('no')
    },
    gaveUp: async (payload, trx) => {
      givenUp += 1
      await trx.insertInto('server_settings').values({ key: 'gave up', value: 'x' }).execute()
      // The process ends in the middle, or the database is away.
      if (givenUp <= 2) throw new Error('not now')
      return () => void told.push(payload)
    },
  }
  const states: unknown[] = []
  await work(kind, async () => {
    const [job] = await all()
    const row = await database.db.selectFrom('server_settings').select('value').where('key', '=', 'gave up').execute()
    states.push([job?.state === 'dead', row.length])
    expect(told).toEqual([{ key: 'x' }])
  })
  expect(states).not.toContainEqual([true, 0])
  expect(givenUp).toBeGreaterThan(2)
  expect(await all()).toMatchObject([{ state: 'dead' }])
})

test('a job that kills each of its workers is given up', async () => {
  await ask('x')
  for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
    expect(await claim(`killed ${tries}`)).toBeDefined()
    now += LEASE + 1
  }
  let runs = 0
  const kind: JobKind = {
    run: async () => {
      runs += 1
    },
  }
  await work(kind, async () => expect(await all()).toMatchObject([{ state: 'dead' }]))
  expect(runs).toBe(0)
})

test('a worker that is stopped hands back what it does', async () => {
  await ask('x')
  let started = false
  const kind: JobKind = {
    run: ({ signal }) =>
      new Promise((_, reject) => {
        started = true
        signal.addEventListener('abort', () => reject(new Error('stopped')))
      }),
  }
  const flow = jobFlow({ database, bus, clock, log, secrets, kinds: { work: kind } })
  flow.start()
  await vi.waitFor(() => expect(started).toBe(true))
  await flow.close()
  expect(await all()).toMatchObject([{ state: 'ready', attempts: 0, worker: null }])
})

test('a sleeping worker is woken by a job that is asked for', async () => {
  let runs = 0
  const kind: JobKind = {
    run: async () => {
      runs += 1
    },
  }
  const flow = jobFlow({ database, bus, clock, log, secrets, kinds: { work: kind } })
  flow.start()
  await vi.waitFor(async () => expect(await nextJobAt(database.db, ['work'])).toBeUndefined())
  await ask('x')
  bus.publish(JOBS_SUBJECT, {})
  await vi.waitFor(() => expect(runs).toBe(1))
  await flow.close()
})
