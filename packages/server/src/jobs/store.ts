import type { ExpressionBuilder, Kysely, Selectable } from 'kysely'
import type { JobsTable, Tables } from '../tables.js'

/** A job as the database has it. */
export type JobRow = Selectable<JobsTable>

/** A job that is asked for. */
export interface NewJob {
  readonly kind: string
  /** What it is about. Asked for again before it is done, it stays one job. */
  readonly key: string
  readonly payload: unknown
  /** Not before this instant, in milliseconds. */
  readonly runAt: number
}

/** Who has claimed a job: only they may say what becomes of it. */
export type Claim = Pick<JobRow, 'id' | 'worker' | 'attempts'>

/**
 * Asks for a job, in the caller's transaction. One that waits already is done at the new time; one that is being done is done once
 * more afterwards; a dead one is tried afresh.
 */
export async function enqueueJob(trx: Kysely<Tables>, job: NewJob, now: number): Promise<void> {
  const { kind, key, runAt } = job
  const payload = JSON.stringify(job.payload)
  const row = { kind, key, payload, state: 'ready', run_at: runAt, created_at: now, updated_at: now }
  await trx
    .insertInto('jobs')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({
        payload,
        run_at: runAt,
        updated_at: now,
        wanted_again: eb.case().when('jobs.state', '=', 'running').then(1).else(0).end(),
        attempts: eb.case().when('jobs.state', '=', 'running').then(eb.ref('jobs.attempts')).else(0).end(),
        state: eb.case().when('jobs.state', '=', 'running').then('running').else('ready').end(),
      })),
    )
    .execute()
}

/** Ready and due, or left behind by a worker that was not heard of for too long. */
function isClaimable(eb: ExpressionBuilder<Tables, 'jobs'>, kinds: readonly string[], now: number) {
  return eb.and([
    eb('jobs.kind', 'in', kinds),
    eb.or([
      eb.and([eb('jobs.state', '=', 'ready'), eb('jobs.run_at', '<=', now)]),
      eb.and([eb('jobs.state', '=', 'running'), eb('jobs.lease_until', '<', now)]),
    ]),
  ])
}

/**
 * Takes the next job of these kinds that is due, by one conditional update: however many workers ask, each job is handed out once. Who
 * asks while another takes a job gets the one after it.
 */
export async function claimJob(
  db: Kysely<Tables>,
  kinds: readonly string[],
  worker: string,
  now: number,
  leaseMs: number,
): Promise<JobRow | undefined> {
  if (kinds.length === 0) return undefined
  return db
    .updateTable('jobs')
    .set((eb) => ({
      state: 'running',
      worker,
      lease_until: now + leaseMs,
      attempts: eb('attempts', '+', 1),
      updated_at: now,
    }))
    .where('id', '=', (eb) =>
      eb
        .selectFrom('jobs')
        .select('jobs.id')
        .where((inner) => isClaimable(inner, kinds, now))
        .orderBy('jobs.run_at')
        .orderBy('jobs.id')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .where((eb) => isClaimable(eb, kinds, now))
    .returningAll()
    .executeTakeFirst()
}

function ofClaim(db: Kysely<Tables>, { id, worker, attempts }: Claim) {
  const query = db.updateTable('jobs').where('id', '=', id).where('state', '=', 'running')
  return query.where('worker', '=', worker).where('attempts', '=', attempts)
}

/** Says that the worker is still at it. False when the job is not its any more: somebody else may have it by now. */
export async function renewClaim(
  db: Kysely<Tables>,
  claim: Claim,
  leaseUntil: number,
  progress: number,
): Promise<boolean> {
  const renewed = await ofClaim(db, claim).set({ lease_until: leaseUntil, progress }).executeTakeFirst()
  return Number(renewed.numUpdatedRows) > 0
}

/** The job is done: its row goes, unless it was asked for again meanwhile. */
export async function finishJob(db: Kysely<Tables>, claim: Claim, now: number): Promise<void> {
  const { id, worker, attempts } = claim
  const query = db.deleteFrom('jobs').where('id', '=', id).where('state', '=', 'running')
  const mine = query.where('worker', '=', worker).where('attempts', '=', attempts)
  // It may be asked for again until the very end: so the end asks, and what was asked for stays so.
  const deleted = await mine.where('wanted_again', '=', 0).executeTakeFirst()
  if (Number(deleted.numDeletedRows) === 0) await beginAgain(db, claim, now)
}

/** Makes a job that was asked for again a new one. */
async function beginAgain(db: Kysely<Tables>, claim: Claim, now: number): Promise<void> {
  await ofClaim(db, claim)
    .where('wanted_again', '=', 1)
    .set({ ...RELEASED, attempts: 0, wanted_again: 0, error: null, updated_at: now })
    .execute()
}

const RELEASED = { state: 'ready', worker: null, lease_until: null, progress: 0 } as const

/** The job failed, and is tried again at `retryAt`. */
export async function failJob(
  db: Kysely<Tables>,
  claim: Claim,
  error: string,
  retryAt: number,
  now: number,
): Promise<void> {
  await ofClaim(db, claim)
    .set({ ...RELEASED, run_at: retryAt, error, updated_at: now })
    .execute()
}

/** The job failed for the last time. Hands back whether it is dead: not when it was asked for again meanwhile, or went to another worker. */
export async function buryJob(db: Kysely<Tables>, claim: Claim, error: string, now: number): Promise<boolean> {
  const buried = await ofClaim(db, claim)
    .where('wanted_again', '=', 0)
    .set({ ...RELEASED, state: 'dead', error, updated_at: now })
    .executeTakeFirst()
  if (Number(buried.numUpdatedRows) > 0) return true
  await beginAgain(db, claim, now)
  return false
}

/** Hands a job back untouched, since its worker stops: the try does not count. */
export async function handBackJob(db: Kysely<Tables>, claim: Claim, now: number): Promise<void> {
  await ofClaim(db, claim)
    .set({ ...RELEASED, attempts: claim.attempts - 1, run_at: now, updated_at: now })
    .execute()
}

/**
 * Hands back every job that is being done: its worker is gone. To be called where only one process can have had workers, before it
 * has any. The tries count: a job that takes its worker along must come to an end.
 */
export async function handBackAllJobs(db: Kysely<Tables>, now: number): Promise<void> {
  const released = { ...RELEASED, run_at: now, updated_at: now }
  await db.updateTable('jobs').set(released).where('state', '=', 'running').execute()
}

/** When the next job of these kinds can be claimed; undefined when there is none to wait for. */
export async function nextJobAt(db: Kysely<Tables>, kinds: readonly string[]): Promise<number | undefined> {
  if (kinds.length === 0) return undefined
  const query = db.selectFrom('jobs').where('kind', 'in', kinds).where('state', 'in', ['ready', 'running'])
  const { ready, leased } = await query
    .select((eb) => [
      eb.fn.min<number | null>(eb.case().when('state', '=', 'ready').then(eb.ref('run_at')).end()).as('ready'),
      eb.fn.min<number | null>(eb.case().when('state', '=', 'running').then(eb.ref('lease_until')).end()).as('leased'),
    ])
    .executeTakeFirstOrThrow()
  const times = [ready, leased].filter((at) => at !== null)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** The jobs that were given up, newest first. */
export async function listDeadJobs(db: Kysely<Tables>, limit: number): Promise<JobRow[]> {
  const query = db.selectFrom('jobs').selectAll().where('state', '=', 'dead')
  return query.orderBy('updated_at', 'desc').limit(limit).execute()
}
