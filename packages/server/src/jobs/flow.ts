import type { Kysely } from 'kysely'
import type { Bus, Clock, Database, Log, Secrets } from '../ports.js'
import type { Tables } from '../tables.js'
import { delayAfter, MAX_ATTEMPTS } from './backoff.js'
import { buryJob, claimJob, failJob, finishJob, handBackJob, type JobRow, nextJobAt, renewClaim } from './store.js'

/** A worker that was not heard of for so long counts as gone. */
const LEASE_MS = 30_000
const HEARTBEAT_MS = 5_000

/** How long the worker sleeps at most: jobs of other nodes are seen by then without being told. */
const LONGEST_SLEEP_MS = 5_000

/** How long work may take to notice that it is to stop. */
const STOP_MS = 6_000

/** A job that was given up, but of which that cannot be written, dies without it after so many tries in all. */
const MAX_GIVING_UP = 4 * MAX_ATTEMPTS

/** Told on the bus when a job was asked for. */
export const JOBS_SUBJECT = 'jobs'

/** One job that is being done. */
export interface JobRun {
  readonly id: number
  /** What was given with it, as JSON had it. */
  readonly payload: unknown
  /** Which try this is, from 1. */
  readonly attempt: number
  /** Aborts when the server stops, and when the job is not this worker's any more. */
  readonly signal: AbortSignal
  /** Says how far it is, 0–1. */
  readonly report: (progress: number) => void
}

/** One kind of job: how it is done, and what happens when it was given up. It may run twice: then it must end the same. */
export interface JobKind {
  run(job: JobRun): Promise<void>
  /**
   * Writes what it means that the last try has failed, in the transaction that makes the job a dead one. Hands back what is to be told
   * once both are kept.
   */
  gaveUp?(payload: unknown, trx: Kysely<Tables>): Promise<(() => void) | undefined>
}

export interface JobFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Pick<Secrets, 'newToken'>
  readonly kinds: Readonly<Record<string, JobKind>>
  /** How many jobs this process does at a time. */
  readonly atOnce?: number
}

export type JobFlow = ReturnType<typeof jobFlow>

/** The worker: takes jobs that are due, one after another, until it is stopped. */
export function jobFlow({ database, bus, clock, log, secrets, kinds, atOnce = 1 }: JobFlowDeps) {
  const { db } = database
  const worker = secrets.newToken(8)
  const names = Object.keys(kinds)
  const stopping = new AbortController()
  const workers: Promise<void>[] = []
  const sleepers = new Set<() => void>()
  const unsubscribe = bus.subscribe(JOBS_SUBJECT, () => wake())

  function wake(): void {
    for (const wakeOne of sleepers) wakeOne()
  }

  function start(): void {
    for (let index = 0; index < atOnce; index++) workers.push(work(`${worker}-${index}`))
  }

  async function work(name: string): Promise<void> {
    while (!stopping.signal.aborted) {
      // Listened for before looking: what is asked for in between is not slept through.
      const sleep = sleeper()
      try {
        const job = await claimJob(db, names, name, clock.now(), LEASE_MS)
        if (job !== undefined) {
          sleep.cancel()
          await run(job)
          continue
        }
        const next = (await nextJobAt(db, names)) ?? Infinity
        // A job that is due but was not handed out has just gone to another worker.
        await sleep.for(Math.min(Math.max(next - clock.now() + 1, 100), LONGEST_SLEEP_MS))
      } catch (err) {
        log.error({ err }, 'jobs cannot be read')
        await sleep.for(LONGEST_SLEEP_MS)
      }
    }
  }

  function sleeper() {
    let timer: NodeJS.Timeout | undefined
    let wakeUp = (): void => {}
    const woken = new Promise<void>((resolve) => {
      wakeUp = resolve
    })
    sleepers.add(wakeUp)
    const cancel = (): void => {
      clearTimeout(timer)
      sleepers.delete(wakeUp)
    }
    return {
      cancel,
      async for(ms: number): Promise<void> {
        if (stopping.signal.aborted) wakeUp()
        timer = setTimeout(wakeUp, ms)
        await woken
        cancel()
      },
    }
  }

  /** Does one job, whatever becomes of it. */
  async function run(job: JobRow): Promise<void> {
    const kind = kinds[job.kind]
    const ids = { job_id: job.id, kind: job.kind, attempt: job.attempts }
    if (kind === undefined) return
    // It was left behind too often: whatever it is, it takes its worker along.
    if (delayAfter(job.attempts - 1) === undefined) return giveUp(job, kind, new Error('its worker was lost'))
    const lost = new AbortController()
    const signal = AbortSignal.any([stopping.signal, lost.signal])
    let progress = 0
    const heartbeat = setInterval(() => {
      renewClaim(db, job, clock.now() + LEASE_MS, progress).then(
        (isMine) => isMine || lost.abort(new Error('the job has gone to another worker')),
        (err: unknown) => log.warn({ err, ...ids }, 'a job could not be renewed'),
      )
    }, HEARTBEAT_MS)
    try {
      const payload: unknown = JSON.parse(job.payload)
      await kind.run({ id: job.id, payload, attempt: job.attempts, signal, report: (value) => (progress = value) })
      await finishJob(db, job, clock.now())
    } catch (err) {
      if (lost.signal.aborted) log.warn(ids, 'a job has gone to another worker')
      else if (stopping.signal.aborted) await handBackJob(db, job, clock.now())
      else await fail(job, kind, err)
    } finally {
      clearInterval(heartbeat)
    }
  }

  async function fail(job: JobRow, kind: JobKind, err: unknown): Promise<void> {
    const delay = delayAfter(job.attempts)
    if (delay === undefined) return giveUp(job, kind, err)
    log.warn({ err, job_id: job.id, kind: job.kind, attempt: job.attempts }, 'a job failed and is tried again')
    const now = clock.now()
    await failJob(db, job, textOf(err), now + delay, now)
  }

  async function giveUp(job: JobRow, kind: JobKind, err: unknown): Promise<void> {
    log.error({ err, job_id: job.id, kind: job.kind, attempt: job.attempts }, 'a job was given up')
    const tell = await database.transaction(async (trx) => {
      const isDead = await buryJob(trx, job, textOf(err), clock.now())
      return isDead && job.attempts < MAX_GIVING_UP ? kind.gaveUp?.(JSON.parse(job.payload), trx) : undefined
    })
    tell?.()
  }

  /** Stops what is being done and hands it back, so that it is done after the next start. */
  async function close(): Promise<void> {
    unsubscribe()
    stopping.abort(new Error('the server stops'))
    wake()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS)
    })
    await Promise.race([Promise.all(workers), late])
    clearTimeout(timer)
  }

  return { start, close, wake }
}

const textOf = (err: unknown): string => (err instanceof Error ? err.message : String(err)).slice(0, 1000)
