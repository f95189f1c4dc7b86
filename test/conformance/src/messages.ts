import { type AgentSettings, flagsOf, NO_PRINT, type PrintEvent, type StateText } from '#protocol'
import type { PrinterStatus, StatusMessage } from '#protocol'

export interface MessageParts {
  /** `status._ts`; the time must rise from message to message. */
  readonly ts: number
  readonly text: StateText
  readonly printTs?: number
  readonly event?: PrintEvent
  readonly settings?: AgentSettings
  readonly status?: Partial<PrinterStatus>
}

/** A status message as an agent would send it: the flags are those that belong to the state text. */
export function statusMessage({ ts, text, printTs = NO_PRINT, event, settings, status }: MessageParts): StatusMessage {
  return {
    current_print_ts: printTs,
    ...(event && { event }),
    ...(settings && { settings }),
    status: { _ts: ts, state: { text, flags: flagsOf(text) }, ...status },
  }
}

/** `status.job` for a file of this name. */
export function jobOf(name: string): NonNullable<PrinterStatus['job']> {
  return { file: { name, path: name, display: name } }
}
