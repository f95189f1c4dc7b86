import { Job, PrintEventType, PrinterStatus } from '@printwarden/protocol'
import { z } from 'zod'
import type { Outbox } from '../reports/outbox.js'
import { KeptNotice, restoreNotice, storeNotice, type UnsentNotice } from '../reports/notices.js'
import { NEW_TRACKER, type Tracker } from './print-tracker.js'
import { restoreMoment, storeMoment, type Now } from '../time/stored-time.js'

/** Everything about one printer that must survive a restart of the agent. */
export interface TrackerRecord {
  readonly tracker: Tracker
  readonly outbox: Outbox
  /** What has to be told beside the events of prints, oldest first. */
  readonly notices: readonly UnsentNotice[]
  /** What the host asked us to keep for it. */
  readonly host: unknown
}

export const NEW_RECORD: TrackerRecord = { tracker: NEW_TRACKER, outbox: [], notices: [], host: null }

/** The record as it lies on the disk. Times are there by both clocks: see {@link restoreMoment}. */
const StoredRecord = z.object({
  version: z.literal(1),
  boot_id: z.string().optional(),
  print: z
    .object({ ts: z.number(), paused: z.boolean(), job: Job.nullable(), completion: z.number().nullable() })
    .nullable(),
  last_ts: z.number(),
  pending: z.object({ type: PrintEventType, at_wall_ms: z.number(), at_boot_ms: z.number().optional() }).nullable(),
  outbox: z.array(
    z.object({
      id: z.uuid(),
      type: PrintEventType,
      print_ts: z.number(),
      at_wall_ms: z.number(),
      at_boot_ms: z.number().optional(),
      status: PrinterStatus,
    }),
  ),
  notices: z.array(KeptNotice).default([]),
  host: z.unknown().optional(),
})

/** A record for the disk. */
export function storeRecord({ tracker, outbox, notices, host }: TrackerRecord, now: Now): z.infer<typeof StoredRecord> {
  const store = (atMs: number) => {
    const { wall_ms, boot_ms } = storeMoment(atMs, now)
    return { at_wall_ms: wall_ms, at_boot_ms: boot_ms }
  }
  const { print, pending } = tracker
  return {
    version: 1,
    ...(now.bootId === undefined ? {} : { boot_id: now.bootId }),
    print: print && { ts: print.ts, paused: print.paused, job: print.job, completion: print.completion },
    last_ts: tracker.lastTs,
    pending: pending && { type: pending.type, ...store(pending.atMs) },
    outbox: outbox.map(({ id, type, printTs, atMs, status }) => ({
      id,
      type,
      print_ts: printTs,
      ...store(atMs),
      status,
    })),
    notices: notices.map((notice) => storeNotice(notice, store(notice.atMs))),
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
  const restore = ({ at_wall_ms, at_boot_ms }: StoredTimes) =>
    restoreMoment({ wallMs: at_wall_ms, bootMs: at_boot_ms, bootId: stored.boot_id }, now)
  const { print, pending } = stored
  return {
    tracker: {
      print: print && { ...print, unconfirmedSinceMs: null },
      lastTs: stored.last_ts,
      pending: pending && {
        type: pending.type,
        atMs: restore(pending),
        // The host's state has had all the time in which the agent was away.
        deadlineMs: now.monotonicMs,
      },
      idleSinceMs: null,
      foundSinceMs: null,
      blind: true,
    },
    outbox: stored.outbox.map((event) => ({
      id: event.id,
      type: event.type,
      printTs: event.print_ts,
      atMs: restore(event),
      status: event.status,
    })),
    notices: stored.notices.map((notice) => restoreNotice(notice, restore(notice))),
    host: stored.host ?? null,
  }
}

interface StoredTimes {
  readonly at_wall_ms: number
  readonly at_boot_ms?: number | undefined
}

/** Whether so much has changed that a restart must not lose it; the progress of a print alone is not worth a write. */
export function isWorthSaving(before: TrackerRecord, after: TrackerRecord): boolean {
  const [a, b] = [before.tracker, after.tracker]
  return (
    before.outbox !== after.outbox ||
    before.notices !== after.notices ||
    before.host !== after.host ||
    a.lastTs !== b.lastTs ||
    a.pending?.type !== b.pending?.type ||
    a.print?.ts !== b.print?.ts ||
    a.print?.paused !== b.print?.paused ||
    a.print?.job?.file.path !== b.print?.job?.file.path
  )
}
