import { PAUSE_TIMEOUT_MS } from '../../printers/commands.js'
import { CLOCK_SKEW_MS } from '../../clock-skew.js'
import { type AlertFacts, answeredAt, mayPause } from './alert.js'

/** A server that lives has, but for a database that is away, told of its pause by then. One that ended before it could never will. */
export const UNTOLD_AFTER_MS = 3 * 60_000

/** The server's last pause of a printer, as the database has it. */
export interface SystemPause {
  readonly status: string
  readonly reason: string | null
  readonly created_at: number
}

/** Whether the server's last pause is one of this print that it was allowed, and of which nothing was recorded or answered since. */
export function isUnrecorded(
  facts: AlertFacts & { readonly started_at: number },
  pause: SystemPause | undefined,
  now: number,
): pause is SystemPause {
  if (pause === undefined || pause.reason !== 'failing' || pause.status === 'failed') return false
  const { started_at, alerted_at, alert_muted_at } = facts
  const { created_at } = pause
  const isOfThisPrint = created_at >= started_at && now - created_at >= UNTOLD_AFTER_MS
  const isTold = (alerted_at !== null && alerted_at >= created_at) || answeredAt(facts) >= created_at
  // Two nodes may both have paused it, and a pause that the printer refused is sent again: the alert of the first one is that of all.
  return isOfThisPrint && !isTold && alert_muted_at === null && mayPause(facts)
}

/**
 * Whether that pause is why the print stands paused, and nobody has seen to it since.
 *
 * @param last the newest event of the print that tells of a pause or of going on
 * @param isMoved whether somebody has told it to go on or to end since
 */
export function standsByPause(
  pause: SystemPause,
  last: { readonly event_type: string; readonly created_at: number } | undefined,
  isMoved: boolean,
): boolean {
  if (last?.event_type !== 'PAUSED' || isMoved) return false
  // A pause that never reached the printer is not behind what somebody does there later.
  const afterMs = last.created_at - pause.created_at
  return afterMs >= -CLOCK_SKEW_MS && afterMs <= PAUSE_TIMEOUT_MS
}
