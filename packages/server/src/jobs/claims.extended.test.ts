import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { openFresh, TEST_POSTGRES_URL } from '../adapters/testing.js'
import { buryJob, claimJob, enqueueJob, finishJob } from './store.js'

if (TEST_POSTGRES_URL === undefined) throw new Error('PRINTWARDEN_TEST_POSTGRES_URL names no PostgreSQL server')
const server = TEST_POSTGRES_URL

const JOBS = 1000
const WORKERS = ['a', 'b', 'c', 'killed']

/** What the killed worker holds comes back after this long; no other job lasts nearly as long. */
const LEASE_MS = 20_000

interface Worker {
  readonly child: ChildProcess
  readonly claimed: string[]
  readonly ended: Promise<number | null>
  errors: string
}

function startWorker(url: string, name: string): Worker {
  const file = fileURLToPath(new URL('./fake-worker.ts', import.meta.url))
  const args = ['--conditions=x-source', '--import', 'tsx', file, url, name, String(LEASE_MS)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close').then(() => child.exitCode)
  const worker: Worker = { child, claimed: [], ended, errors: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    for (const [, key = ''] of chunk.toString().matchAll(/claimed (\S+)\n/g)) worker.claimed.push(key)
  })
  child.stderr.on('data', (chunk: Buffer) => (worker.errors += chunk.toString()))
  return worker
}

test('of a thousand jobs each is done exactly once by four processes, one of which is killed', async () => {
  const database = await openFresh(server)
  const workers: Worker[] = []
  try {
    await database.migrate()
    await database.transaction(async (trx) => {
      for (let index = 0; index < JOBS; index++) {
        await enqueueJob(trx, { kind: 'work', key: `job${index}`, payload: {}, runAt: 0 }, 0)
      }
    })
    for (const name of WORKERS) workers.push(startWorker(database.url, name))
    const doomed = workers.at(-1)
    await vi.waitFor(() => expect(doomed?.claimed.length).toBeGreaterThan(20), { timeout: 120_000, interval: 5 })
    doomed?.child.kill('SIGKILL')
    // As a job whose worker was killed right after it had taken it.
    const held = await claimJob(database.db, ['work'], 'killed', Date.now(), LEASE_MS)

    const codes = await Promise.all(workers.slice(0, -1).map(({ ended }) => ended))
    expect({ codes, errors: workers.map(({ errors }) => errors).join('') }).toEqual({ codes: [0, 0, 0], errors: '' })
    const done = await database.db.selectFrom('server_settings').selectAll().execute()
    expect(new Set(done.map(({ key }) => key)).size).toBe(JOBS)
    // Nobody had a job that somebody else had too, but for what the killed one left behind.
    const claims = workers.slice(0, -1).flatMap(({ claimed }) => claimed)
    expect(new Set(claims).size).toBe(claims.length)
    if (held === undefined) throw new Error('nothing was left to be claimed')
    expect(claims).toContain(held.key)
    expect(done.filter(({ value }) => value === 'killed').length).toBeGreaterThan(0)
    expect(workers.slice(0, -1).every(({ claimed }) => claimed.length > 0)).toBe(true)
  } finally {
    for (const { child } of workers) child.kill('SIGKILL')
    await database.close()
  }
}, 300_000)

test('who asks while another one takes a job gets the one after it', async () => {
  const database = await openFresh(server)
  try {
    await database.migrate()
    const ask = (key: string, runAt: number) => enqueueJob(database.db, { kind: 'work', key, payload: {}, runAt }, 0)
    await ask('first', 1)
    await ask('second', 2)
    const second = await database.transaction(async (trx) => {
      const first = await claimJob(trx, ['work'], 'a', 10, 1000)
      expect(first?.key).toBe('first')
      return claimJob(database.db, ['work'], 'b', 10, 1000)
    })
    expect(second?.key).toBe('second')
    if (second !== undefined) await finishJob(database.db, second, 11)
    expect((await claimJob(database.db, ['work'], 'b', 10, 1000))?.key).toBeUndefined()
  } finally {
    await database.close()
  }
})

test.each([
  { name: 'is done', end: finishJob },
  {
    name: 'fails for the last time',
    end: (...[db, claim, now]: Parameters<typeof finishJob>) => buryJob(db, claim, 'no', now),
  },
])(
  'a job that is asked for again by somebody who has not committed yet while it $name is done again',
  async ({ end }) => {
    const database = await openFresh(server)
    try {
      await database.migrate()
      const wanted = { kind: 'work', key: 'x', payload: {}, runAt: 1 }
      await enqueueJob(database.db, wanted, 0)
      const job = await claimJob(database.db, ['work'], 'a', 10, 1000)
      if (job === undefined) throw new Error('nothing was claimed')
      const ending = await database.transaction(async (trx) => {
        await enqueueJob(trx, wanted, 11)
        const isOver = { promise: end(database.db, job, 12) }
        // Not by the transaction, which sees what it has seen once.
        const waiting = () =>
          sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
            database.db,
          )
        await vi.waitFor(async () => expect((await waiting()).rows).toHaveLength(1), 30_000)
        return isOver
      })
      await ending.promise
      const rows = await database.db.selectFrom('jobs').select(['state', 'wanted_again', 'attempts']).execute()
      expect(rows).toEqual([{ state: 'ready', wanted_again: 0, attempts: 0 }])
    } finally {
      await database.close()
    }
  },
)
