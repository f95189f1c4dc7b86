import type { JobKind } from '../jobs/flow.js'
import { enqueueJob } from '../jobs/store.js'
import type { BlobEntry, BlobStore, Clock, Database, Log } from '../ports.js'
import { doomBlobs } from '../prints/doomed-store.js'
import { removeAllDoomed } from '../prints/removal-flow.js'
import { updatePrint } from '../prints/store.js'
import { framesPrefix } from './frames.js'
import { videosPrefix } from './keys.js'
import { stepOf } from './reasons.js'
import { type Expired, expiredPrints, isUnlimited, type Outcome, type RetentionLimits } from './retention.js'
import { type EndedPrintRow, listEndedPrints } from './store.js'

/** The job that takes away what is too old or too much. */
export const RETENTION_JOB = 'retention'

const DAY_MS = 86_400_000
const AFTER_START_MS = 300_000

export interface RetentionFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'list' | 'remove' | 'removeAll'>
  readonly clock: Clock
  readonly log: Log
  readonly limits: RetentionLimits
}

/** A print that loses its videos, with what goes. */
export interface ExpiredPrint extends Expired {
  readonly filename: string
  readonly keys: readonly string[]
}

/** What retention takes. */
export interface RetentionPlan {
  readonly limits: RetentionLimits
  /** Of all prints, before anything goes. */
  readonly keptBytes: number
  readonly prints: readonly ExpiredPrint[]
}

export type RetentionFlow = ReturnType<typeof retentionFlow>

/**
 * Takes away the videos and kept frames of old prints. The poster, the print's row, its alerts and predictions stay: they are small, and
 * the history of a printer is worth more than its films.
 */
export function retentionFlow({ database, blobs, clock, log, limits }: RetentionFlowDeps) {
  const { db } = database

  /** What goes now. Takes nothing away. */
  async function plan(): Promise<RetentionPlan> {
    const [rows, all] = await Promise.all([listEndedPrints(db), blobs.list('prints/')])
    const byPrint = entriesByPrint(all)
    const prints = rows.filter(isSettled).map((row) => {
      const blobsOfPrint = takenOf(row, byPrint.get(row.id) ?? [])
      return { row, keys: blobsOfPrint.map(({ key }) => key), bytes: sizeOf(blobsOfPrint) }
    })
    const taken = prints.filter(({ keys }) => keys.length > 0)
    const byId = new Map(taken.map((print) => [print.row.id, print]))
    const stored = taken.map(({ row, bytes }) => ({ id: row.id, outcome: outcomeOf(row), ended_at: endOf(row), bytes }))
    const keptBytes = sizeOf(all)
    const expired = expiredPrints(stored, limits, clock.now(), keptBytes - sizeOf(taken))
    return {
      limits,
      keptBytes,
      prints: expired.map((print) => {
        const { row, keys } = byId.get(print.id) ?? { row: { filename: '' }, keys: [] }
        return { ...print, filename: row.filename, keys }
      }),
    }
  }

  /** Takes away what the plan of this moment says, and says what that was. */
  async function apply(): Promise<RetentionPlan> {
    const planned = await plan()
    for (const { id, keys } of planned.prints) {
      // Written down with the row, so that a server that is killed meanwhile goes on after its start.
      await database.transaction(async (trx) => {
        const changes = { video_key: null, tagged_video_key: null, video_archived_at: clock.now() }
        await updatePrint(trx, id, { ...changes, ...stepOf('none', 0, 'archived') })
        await doomBlobs(trx, keys, clock.now())
      })
      await removeAllDoomed({ database, blobs, log }, keys)
    }
    const { length } = planned.prints
    if (length > 0) log.info({ prints: length, bytes: sizeOf(planned.prints) }, 'old videos removed')
    return planned
  }

  /** Asks for the daily run, when there is anything that may ever go. */
  async function schedule(delayMs = AFTER_START_MS): Promise<void> {
    if (isUnlimited(limits)) return
    const now = clock.now()
    const job = { kind: RETENTION_JOB, key: RETENTION_JOB, payload: {}, runAt: now + delayMs }
    await database.transaction((trx) => enqueueJob(trx, job, now))
  }

  const job: JobKind = {
    async run() {
      // Asked for while it runs: done once more tomorrow, also when this time fails.
      await schedule(DAY_MS)
      await apply()
    },
  }

  return { plan, apply, schedule, job }
}

/** Whether nothing is being made of its frames. */
const isSettled = ({ timelapse_state }: EndedPrintRow): boolean =>
  timelapse_state !== 'waiting' && timelapse_state !== 'rendering'

/** What retention takes of a print: videos and frames, but not the poster. */
function takenOf(row: EndedPrintRow, entries: readonly BlobEntry[]): BlobEntry[] {
  const prefixes = [videosPrefix(row.id), framesPrefix(row.id)]
  return entries.filter(({ key }) => key !== row.poster_key && prefixes.some((prefix) => key.startsWith(prefix)))
}

function entriesByPrint(entries: readonly BlobEntry[]): ReadonlyMap<number, readonly BlobEntry[]> {
  const byPrint = new Map<number, BlobEntry[]>()
  for (const entry of entries) {
    const id = Number(entry.key.split('/')[1])
    const known = byPrint.get(id)
    if (known === undefined) byPrint.set(id, [entry])
    else known.push(entry)
  }
  return byPrint
}

const sizeOf = (sized: readonly { readonly size?: number; readonly bytes?: number }[]): number =>
  sized.reduce((sum, { size, bytes }) => sum + (size ?? bytes ?? 0), 0)

const endOf = ({ finished_at, cancelled_at }: EndedPrintRow): number => finished_at ?? cancelled_at ?? 0

function outcomeOf({ failed_at, finished_at, alert_overwrite }: EndedPrintRow): Outcome {
  if (failed_at !== null || alert_overwrite === 'FAILED') return 'failed'
  return finished_at === null ? 'cancelled' : 'finished'
}
