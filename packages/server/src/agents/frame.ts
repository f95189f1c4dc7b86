import {
  type AgentError,
  type AgentSettings,
  CLOSE_CODES,
  CommandAck,
  isPlainStatus,
  isWithinDepth,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGE_DEPTH,
  StatusMessage,
} from '@printwarden/protocol'
import type { z } from 'zod'

/** What a frame of an agent turned out to be. */
export type Frame =
  | { readonly type: 'status'; readonly message: StatusMessage }
  | { readonly type: 'command_ack'; readonly ack: CommandAck['ack'] }
  /** The agent says nothing of the printer, which counts as offline until it does. */
  | { readonly type: 'no_status'; readonly settings?: AgentSettings }
  /** The printer waits for another filament: a line of its history. */
  | { readonly type: 'filament_change' }
  /** For whoever listens to this agent, not for the server itself. */
  | { readonly type: 'relay'; readonly channel: 'passthru' | 'janus'; readonly message: object }
  /** Not applied and answered; the socket stays open. */
  | { readonly type: 'refused'; readonly error: AgentError }
  /** What sent it does not speak our protocol: the socket is closed. */
  | { readonly type: 'close'; readonly code: number; readonly reason: string }

/** Reads one frame. The size is looked at first, so that nothing large is parsed. */
export function readFrame(bytes: Buffer, isBinary: boolean): Frame {
  if (bytes.byteLength > MAX_MESSAGE_BYTES) {
    return { type: 'close', code: CLOSE_CODES.tooLarge, reason: 'a message may have 1 MiB' }
  }
  if (isBinary) return NOT_JSON
  const value = parseJson(bytes.toString('utf8'))
  if (value === undefined) return NOT_JSON
  // The hot path: nearly every message is one, and the schema takes longer for it than all the rest does.
  if (isPlainStatus(value)) return { type: 'status', message: value }
  if (!isWithinDepth(value)) return refuse(`nested deeper than ${MAX_MESSAGE_DEPTH} levels`, '')
  return isAck(value) ? readAck(value) : readStatus(value)
}

const NOT_JSON: Frame = { type: 'close', code: CLOSE_CODES.notJson, reason: 'not JSON' }

/** undefined is no value that JSON has. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isAck = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'ack' in value && !('status' in value)

function readStatus(value: unknown): Frame {
  const result = StatusMessage.safeParse(value)
  return result.success ? { type: 'status', message: result.data } : refusal(result.error)
}

function readAck(value: unknown): Frame {
  const result = CommandAck.safeParse(value)
  return result.success ? { type: 'command_ack', ack: result.data.ack } : refusal(result.error)
}

function refusal({ issues: [first] }: z.ZodError): Frame {
  return refuse(first?.message ?? 'not a message', first?.path.join('.') ?? '')
}

function refuse(detail: string, path: string): Frame {
  return { type: 'refused', error: { code: 'invalid_message', detail, path } }
}
