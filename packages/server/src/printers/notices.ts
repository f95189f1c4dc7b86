import type { Command, PrinterEvent, PrinterStatus, Timelapse } from '@printwarden/protocol'
import type { ToldOf } from '../ports.js'
import type { LivePic } from './live-keys.js'
import type { WatchState } from './watch-state.js'

export { REVOKED_SUBJECT, type RevokedNotice } from '../users/revoked.js'

/** The bus subject on which everything about one printer is told. */
export const printerSubject = (printerId: number): string => `printer.${printerId}`

/** The bus subject on which a user's new and removed printers are told. */
export const userSubject = (userId: number): string => `user.${userId}`

/** The bus subject that reaches the node which holds the agent's socket. Answered, so it is used with `request`. */
export const agentSubject = (printerId: number): string => `agent.${printerId}`

/** The bus subject on which the agent's passthru messages are told, as they came. */
export const passthruSubject = (printerId: number): string => `passthru.${printerId}`

/** The bus subject on which what the agent's video gateway says is told. */
export const janusSubject = (printerId: number): string => `janus.${printerId}`

/**
 * What is told about one printer. Values that change by the second travel in the notice, so that telling them costs no SQL;
 * `row` says that the printer's or its print's row changed and must be read again.
 */
export type PrinterNotice =
  | { readonly type: 'status'; readonly status: PrinterStatus | null }
  | { readonly type: 'pic'; readonly pic: LivePic | null }
  | { readonly type: 'gauge'; readonly normalized_p: number }
  | { readonly type: 'watch'; readonly watch: WatchState }
  | { readonly type: 'row' }
  | { readonly type: 'removed' }
  | { readonly type: 'command'; readonly command: Command }
  | {
      readonly type: 'timelapse'
      readonly print_id: number
      readonly timelapse: Timelapse | null
    }
  | { readonly type: 'event'; readonly event: PrinterEvent; readonly image_key: string | null }

/** The notice of a status whose JSON is known. */
export function statusNotice(printerId: number, status: PrinterStatus): ToldOf {
  const notice: PrinterNotice = { type: 'status', status }
  return { subject: printerSubject(printerId), notice, before: '{"type":"status","status":', after: '}' }
}

/** What is told about one user. */
export type UserNotice = { readonly type: 'printer_added'; readonly printer_id: number }

/** What is sent to the node that holds the agent's socket; it answers true once the frame is on the socket. */
export type ToAgent =
  | {
      readonly type: 'command'
      readonly id: string
      readonly cmd: string
      readonly args: Record<string, unknown>
      readonly initiator: string
      readonly expires_in_ms: number
    }
  | {
      readonly type: 'remote_status'
      readonly viewing?: boolean
      readonly should_watch?: boolean
      readonly interval_ms?: number | null
    }
  | { readonly type: 'passthru'; readonly passthru: PassthruCall }
  | { readonly type: 'janus'; readonly janus: string }

/** A call of something in the agent by its name. Only the upstream agents' door takes these. */
export interface PassthruCall {
  readonly target: string
  readonly func: string
  readonly args?: readonly unknown[]
  readonly kwargs?: Readonly<Record<string, unknown>>
  /** Names the reply; without one there is none. */
  readonly ref?: string
}

/** A whole passthru message of an agent. */
export interface PassthruNotice {
  readonly passthru: Readonly<Record<string, unknown>>
}

/** What an agent's video gateway says, unparsed. */
export interface JanusNotice {
  readonly janus: string
}
