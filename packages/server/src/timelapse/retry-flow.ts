import { ApiError } from '../errors.js'
import { enqueueJob } from '../jobs/store.js'
import type { Clock, Database } from '../ports.js'
import { findPrint, type PrintRow, updatePrint } from '../prints/store.js'
import type { FramesFlow } from './frames-flow.js'
import { isRunning, stepOf } from './reasons.js'
import { TIMELAPSE_JOB } from './request-flow.js'

export interface RetryDeps {
  readonly database: Database
  readonly clock: Clock
  readonly frames: Pick<FramesFlow, 'list'>
  /** Whether this server does jobs. */
  readonly hasJobs: boolean
}

/** Time-lapses that are asked for again by their users. */
export function retryFlow({ database, clock, frames, hasJobs }: RetryDeps) {
  /** Asks for one again. @throws {ApiError} conflict, unavailable, not_found */
  async function retry(print: Pick<PrintRow, 'id'>): Promise<void> {
    if (!hasJobs) throw new ApiError('unavailable', 'This server does no jobs.', { retryAfterSeconds: 60 })
    const hasFrames = (await frames.list(print.id)).length > 0
    const now = clock.now()
    await database.transaction(async (trx) => {
      const row = await findPrint(trx, print.id)
      if (row === undefined) throw new ApiError('not_found')
      const reason = reasonAgainstRetry(row, hasFrames)
      if (reason !== undefined) throw new ApiError('conflict', reason)
      const job = { kind: TIMELAPSE_JOB, key: `${TIMELAPSE_JOB}:${row.id}`, payload: { print_id: row.id }, runAt: now }
      await enqueueJob(trx, job, now)
      await updatePrint(trx, row.id, stepOf('waiting'))
    })
  }

  return { retry }
}

type Retried = Pick<PrintRow, 'state' | 'timelapse_state' | 'video_key'>

/** Why the time-lapse of a print cannot be made again now; undefined when it can. */
export function reasonAgainstRetry(print: Retried, hasFrames: boolean): string | undefined {
  if (isRunning(print)) return 'The print is still running.'
  if (print.timelapse_state === 'waiting' || print.timelapse_state === 'rendering')
    return 'The time-lapse is being made.'
  if (print.video_key !== null) return 'The print has a time-lapse.'
  return hasFrames ? undefined : 'No pictures of this print are left to make it of.'
}
