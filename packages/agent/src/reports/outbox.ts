import type { PrintEventType, PrinterStatus, StatusMessage } from '@printwarden/protocol'
import { isEnd } from '../tracking/print-events.js'

/** An event of a print that the server has not acknowledged, with the status at its time. `atMs` is monotonic. */
export interface UnsentEvent {
  readonly id: string
  readonly type: PrintEventType
  readonly printTs: number
  readonly atMs: number
  readonly status: PrinterStatus
}

/** Unsent events, oldest first. */
export type Outbox = readonly UnsentEvent[]

/** A print has half a dozen events, so this is dozens of prints without a server. */
export const OUTBOX_LIMIT = 500

/** Puts an event at the end. When the outbox is full, the oldest one makes room: the newest prints matter most. */
export function addEvent(outbox: Outbox, event: UnsentEvent, limit: number = OUTBOX_LIMIT): Outbox {
  return [...outbox, event].slice(-limit)
}

/** Takes out what the server has stored; ids that are unknown or repeated change nothing. */
export function acknowledge(outbox: Outbox, ids: readonly string[]): Outbox {
  const stored = new Set(ids)
  return outbox.some(({ id }) => stored.has(id)) ? outbox.filter(({ id }) => !stored.has(id)) : outbox
}

/**
 * The message that carries an event. Its age is new each time it is sent, its id stays.
 *
 * @param picsToCome how many pictures of its print are kept here and follow
 */
export function eventMessage(event: UnsentEvent, nowMs: number, picsToCome = 0): StatusMessage {
  const age_ms = Math.max(0, Math.round(nowMs - event.atMs))
  return {
    current_print_ts: event.printTs,
    event: {
      event_type: event.type,
      id: event.id,
      age_ms,
      ...(picsToCome > 0 && isEnd(event.type) ? { pics_to_come: picsToCome } : {}),
    },
    status: event.status,
  }
}
