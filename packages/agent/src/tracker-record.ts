import { Job, PrintEventType, PrinterStatus } from '@printwarden/protocol'
import { z } from 'zod'
import type { Outbox } from './outbox.js'
import { NEW_TRACKER, type Now, type Tracker } from './print-tracker.js'

/** Everything about one printer that must survive a restart of the agent. */
export interface TrackerRecord {
  readonly tracker: Tracker
  readonly outbox: Outbox
  /** What the host asked us to keep for it. */
  readonly host: unknown
}

export const NEW_RECORD: TrackerRecord = { tracker: NEW_TRACKER, outbox: [], host: null }

/** The record as it lies on the disk. The monotonic clock starts anew with each boot, so times are Unix milliseconds. */
const StoredRecord = z.object({
  version: z.literal(1),
  print: z
    .object({ ts: z.number(), paused: z.boolean(), job: Job.nullable(), completion: z.number().nullable() })
    .nullable(),
  last_ts: z.number(),
  pending: z.object({ type: PrintEventType, at_wall_ms: z.number() }).nullable(),
  outbox: z.array(
    z.object({
      id: z.uuid(),
      type: PrintEventType,
      print_ts: z.number(),
      at_wall_ms: z.number(),
      status: PrinterStatus,
    }),
  ),
  host: z.unknown().optional(),
})

/** A record for the disk. */
export function storeRecord({ tracker, outbox, host }: TrackerRecord, now: Now): z.infer<typeof StoredRecord> {
  const toWall = (atMs: number) => Math.round(now.wallMs - (now.monotonicMs - atMs))
  const { print, pending } = tracker
  return {
    version: 1,
    print: print && { ts: print.ts, paused: print.paused, job: print.job, completion: print.completion },
    last_ts: tracker.lastTs,
    pending: pending && { type: pending.type, at_wall_ms: toWall(pending.atMs) },
    outbox: outbox.map(({ id, type, printTs, atMs, status }) => ({
      id,
      type,
      print_ts: printTs,
      at_wall_ms: toWall(atMs),
      status,
    })),
    host,
  }
}

/**
 * A record from the disk. The tracker is blind, since the agent was away: the next snapshot tells what became of the print.
 *
 * @throws {z.ZodError} when `value` is no record
 */
export function restoreRecord(value: unknown, now: Now): TrackerRecord {
  const stored = StoredRecord.parse(value)
  // A clock that was set back meanwhile must not put an event into the future.
  const toMonotonic = (wallMs: number) => now.monotonicMs - Math.max(0, now.wallMs - wallMs)
  const { print, pending } = stored
  return {
    tracker: {
      print: print && { ...print, unconfirmedSinceMs: null },
      lastTs: stored.last_ts,
      pending: pending && {
        type: pending.type,
        atMs: toMonotonic(pending.at_wall_ms),
        // The host's state has had all the time in which the agent was away.
        deadlineMs: now.monotonicMs,
      },
      idleSinceMs: null,
      foundSinceMs: null,
      blind: true,
    },
    outbox: stored.outbox.map(({ id, type, print_ts, at_wall_ms, status }) => ({
      id,
      type,
      printTs: print_ts,
      atMs: toMonotonic(at_wall_ms),
      status,
    })),
    host: stored.host ?? null,
  }
}

/** Whether so much has changed that a restart must not lose it; the progress of a print alone is not worth a write. */
export function isWorthSaving(before: TrackerRecord, after: TrackerRecord): boolean {
  const [a, b] = [before.tracker, after.tracker]
  return (
    before.outbox !== after.outbox ||
    before.host !== after.host ||
    a.lastTs !== b.lastTs ||
    a.pending?.type !== b.pending?.type ||
    a.print?.ts !== b.print?.ts ||
    a.print?.paused !== b.print?.paused ||
    a.print?.job?.file.path !== b.print?.job?.file.path
  )
}
