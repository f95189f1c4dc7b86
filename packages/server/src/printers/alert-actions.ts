import type { AlertOverwrite, PrinterEventClass, PrinterEventType } from '@printwarden/protocol'
import type { PrintRow } from '../prints/store.js'

type AlertFields = Pick<PrintRow, 'alerted_at' | 'alert_acknowledged_at'>

/** What a user's action changes on a print. */
export type AlertChanges = Partial<Pick<PrintRow, 'alert_acknowledged_at' | 'alert_overwrite' | 'alert_muted_at'>>

/** An alert stands until it is acknowledged; a later one stands again. */
export function hasStandingAlert({ alerted_at, alert_acknowledged_at }: AlertFields): boolean {
  return alerted_at !== null && (alert_acknowledged_at === null || alert_acknowledged_at < alerted_at)
}

/**
 * What acknowledging changes; undefined when there never was an alert. Doing it again only changes what was said about the
 * alert, and only when something is said.
 */
export function acknowledge(
  print: AlertFields,
  overwrite: AlertOverwrite | undefined,
  now: number,
): AlertChanges | undefined {
  if (print.alerted_at === null) return undefined
  if (hasStandingAlert(print)) return { alert_acknowledged_at: now, alert_overwrite: overwrite ?? null }
  return overwrite === undefined ? {} : { alert_overwrite: overwrite }
}

/** What resuming (`NOT_FAILED`) or cancelling (`FAILED`) says about an alert that stands (decision 20). */
export function answerAlert(print: AlertFields, overwrite: AlertOverwrite, now: number): AlertChanges {
  return hasStandingAlert(print) ? { alert_acknowledged_at: now, alert_overwrite: overwrite } : {}
}

/** A line for the printer's history. */
export interface EventWording {
  readonly event_type: PrinterEventType
  readonly event_class: PrinterEventClass
  readonly event_title: string
  readonly event_text: string
}

/** How the history tells that failure detection was muted for a print, or turned on again. */
export function muteWording(isMuted: boolean, filename: string): EventWording {
  return isMuted
    ? {
        event_type: 'ALERT_MUTED',
        event_class: 'WARNING',
        event_title: 'Failure detection muted',
        event_text: `Failure detection is off for the rest of ${filename}.`,
      }
    : {
        event_type: 'ALERT_UNMUTED',
        event_class: 'INFO',
        event_title: 'Failure detection on again',
        event_text: `Failure detection is on again for ${filename}.`,
      }
}
