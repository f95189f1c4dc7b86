import type { ImportedPrint } from '@printwarden/protocol'
import { stepOf } from '../timelapse/reasons.js'

const ms = (text: string | null): number | null => (text === null ? null : Date.parse(text))

/** What of a print its user may change later, on both sides. */
export function changingColumns(print: ImportedPrint) {
  return {
    alert_overwrite: print.alert_overwrite,
    alert_acknowledged_at: ms(print.alert_acknowledged_at),
    alert_muted_at: ms(print.alert_muted_at),
    access_consented_at: ms(print.access_consented_at),
    filament_used: print.filament_used,
    print_time: print.print_time,
  }
}

/** A print that has ended, as columns; whose it is and what it is called by its agent come from elsewhere. */
export function printColumns(print: ImportedPrint) {
  const hasVideo = print.parts.some(({ kind }) => kind === 'video' || kind === 'tagged_video')
  const isGone = !hasVideo && print.video_archived_at !== null
  return {
    ...changingColumns(print),
    filename: print.filename,
    state: stateOf(print),
    started_at: Date.parse(print.started_at),
    finished_at: ms(print.finished_at),
    // A failed print counts as cancelled too, as existing clients expect.
    cancelled_at: ms(print.cancelled_at ?? print.failed_at),
    failed_at: ms(print.failed_at),
    uploaded_at: ms(print.uploaded_at),
    alerted_at: ms(print.alerted_at),
    paused_at: ms(print.paused_at),
    video_archived_at: ms(print.video_archived_at),
    ...(isGone ? stepOf('none', 0, 'archived') : {}),
  }
}

function stateOf({ failed_at, cancelled_at }: ImportedPrint): string {
  if (failed_at !== null) return 'failed'
  return cancelled_at === null ? 'finished' : 'cancelled'
}

/** An agent calls a print by its start in seconds, give or take what the upstream server forgives. */
const SAME_START_SECONDS = 20

/** Whether a print that its agent calls by this name began when the other did. */
export function isSameStart(currentPrintTs: number, startedAt: string): boolean {
  return Math.abs(currentPrintTs - Date.parse(startedAt) / 1000) <= SAME_START_SECONDS
}

/** Among the prints of so many seconds a free name is looked for. */
export const NAMES_SECONDS = 3600

/** The name that an imported print gets: its start in seconds, or the next one that no other print of the printer has. */
export function freeTs(startedAtMs: number, taken: ReadonlySet<number>): number {
  let ts = Math.floor(startedAtMs / 1000)
  while (taken.has(ts)) ts += 1
  return ts
}
