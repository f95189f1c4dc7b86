import type { Kysely } from 'kysely'
import { enqueueJob } from '../jobs/store.js'
import type { EndedPrint } from '../printers/print-flow.js'
import { findPrint, updatePrint } from '../prints/store.js'
import type { Tables } from '../tables.js'
import { isRunning, stepOf } from './reasons.js'

/** The job that makes a time-lapse. */
export const TIMELAPSE_JOB = 'timelapse'

/** The last pictures may still be on their way through detection. */
const AFTER_END_MS = 3_000

/** Pictures that an agent kept while it was offline come over a line that was bad a moment ago. The last one ends the wait. */
const FOR_PICS_MS = 15 * 60_000

/** A print that nobody said has ended may go on yet. */
const AFTER_ASSUMED_END_MS = 120_000

/** Asks for the time-lapses of prints, in the transaction in which these end. */
export async function requestTimelapses(trx: Kysely<Tables>, ended: readonly EndedPrint[], now: number): Promise<void> {
  for (const { id, end_assumed, pics_to_come = 0 } of ended) {
    const runAt = now + (pics_to_come > 0 ? FOR_PICS_MS : end_assumed ? AFTER_ASSUMED_END_MS : AFTER_END_MS)
    await enqueueJob(trx, { kind: TIMELAPSE_JOB, key: `${TIMELAPSE_JOB}:${id}`, payload: { print_id: id }, runAt }, now)
    await updatePrint(trx, id, stepOf('waiting'))
  }
}

/**
 * Lets a time-lapse that waits for pictures wait for so many more, and no longer; undefined leaves its wait as it is. To be asked when one has been kept: false when the
 * time-lapse was made, or given up, while that was on its way, so that nobody would take it nor remove it.
 */
export async function awaitMorePics(
  trx: Kysely<Tables>,
  printId: number,
  picsToCome: number | undefined,
  now: number,
): Promise<boolean> {
  const print = await findPrint(trx, printId)
  if (print === undefined) return false
  // The end of the print asks for its time-lapse; and who makes one removes all pictures afterwards, those that came meanwhile too.
  if (isRunning(print) || print.timelapse_state === 'rendering') return true
  if (print.timelapse_state !== 'waiting') return false
  if (picsToCome === undefined) return true
  await requestTimelapses(trx, [{ id: printId, end_assumed: false, pics_to_come: picsToCome }], now)
  return true
}
