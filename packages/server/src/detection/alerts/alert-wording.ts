import type { PrinterEventClass, PrinterEventType } from '@printwarden/protocol'

/** How the history tells of an alert, and what became of the pause. */
export interface AlertWording {
  readonly event_type: PrinterEventType
  readonly event_class: PrinterEventClass
  readonly event_title: string
  readonly event_text: string
}

/**
 * warning: it may fail. paused: it fails and was paused. undelivered: it fails, and no agent took the pause. not_wanted: it fails,
 * and this printer is not to be paused. used_up: it fails, and the server has paused it before.
 */
export type AlertOutcome = 'warning' | 'paused' | 'undelivered' | 'not_wanted' | 'used_up'

const TITLES: Record<AlertOutcome, string> = {
  warning: 'Possible failure',
  paused: 'Failure detected, print paused',
  undelivered: 'Failure detected, print not paused',
  not_wanted: 'Failure detected',
  used_up: 'Failure detected again',
}

const TEXTS: Record<AlertOutcome, string> = {
  warning: 'may be failing. The print goes on.',
  paused: 'seems to be failing. The print was told to pause.',
  undelivered:
    'seems to be failing. The printer could not be reached to pause it; this is tried again as long as it fails.',
  not_wanted: 'seems to be failing. The print goes on, because Printwarden does not pause this printer.',
  used_up: 'seems to be failing. The print goes on, because it was paused once already.',
}

/** @param camera the name of the camera that saw it, when it is not the primary one */
export function alertWording(outcome: AlertOutcome, filename: string, camera?: string): AlertWording {
  const seenBy = camera === undefined ? '' : ` Seen by the camera "${camera}".`
  return {
    event_type: 'FAILURE_ALERTED',
    event_class: outcome === 'warning' ? 'WARNING' : 'ERROR',
    event_title: TITLES[outcome],
    event_text: `${filename === '' ? 'The print' : filename} ${TEXTS[outcome]}${seenBy}`,
  }
}
