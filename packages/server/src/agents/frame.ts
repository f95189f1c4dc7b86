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
import { JsonText } from '../ports.js'

/** What a frame of an agent turned out to be. */
export type Frame =
  /** With the text of its status section, where that is known. */
  | { readonly type: 'status'; readonly message: StatusMessage; readonly text?: JsonText }
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
  const text = bytes.toString('utf8')
  // The hot path: nearly every message is one, and the schema takes longer for it than all the rest does.
  const plain = readPlainStatus(text)
  if (plain !== undefined) return plain
  const value = parseJson(text)
  if (value === undefined) return NOT_JSON
  if (isPlainStatus(value)) return { type: 'status', message: value }
  if (!isWithinDepth(value)) return refuse(`nested deeper than ${MAX_MESSAGE_DEPTH} levels`, '')
  return isAck(value) ? readAck(value) : readStatus(value)
}

const NOT_JSON: Frame = { type: 'close', code: CLOSE_CODES.notJson, reason: 'not JSON' }

/** What stands before the status section in a message that has it last, as nearly every one that our agent writes. */
const BEFORE_STATUS =
  /^\{"current_print_ts":(-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?),(?:"seq":(0|[1-9]\d{0,14}),)?"status":(?=\{)/

/**
 * Reads a message that is written so; undefined leaves it to the reading of the whole. What is between its beginning and the last brace is
 * known to be the section when it is one JSON value.
 */
function readPlainStatus(text: string): Frame | undefined {
  const head = BEFORE_STATUS.exec(text)
  if (head === null || !text.endsWith('}')) return undefined
  const [before, ts, seq] = head
  const section = text.slice(before.length, -1)
  const status = parseJson(section)
  const message = { current_print_ts: Number(ts), ...(seq === undefined ? {} : { seq: Number(seq) }), status }
  return isPlainStatus(message) ? { type: 'status', message, text: new JsonText(section) } : undefined
}

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
