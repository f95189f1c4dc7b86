import { CLOSE_CODES, isWithinDepth, PassthruCall } from '@printwarden/protocol'
import { z } from 'zod'
import type { PassthruCall as ReferredCall } from '../../printers/notices.js'

/** What a browser sends is a call with its arguments; nothing honest is larger. */
export const MAX_BROWSER_MESSAGE_BYTES = 256 * 1024

const Ref = z.string().min(1).max(200)

/** What a browser's message turned out to be. */
export type BrowserMessage =
  /** It says that it is there. */
  | { readonly type: 'present' }
  | { readonly type: 'passthru'; readonly call: ReferredCall }
  /** A call that is not let through; told to whoever waits for its reply. */
  | { readonly type: 'refused'; readonly ref: string | undefined; readonly detail: string }
  | { readonly type: 'close'; readonly code: number; readonly reason: string }

/** Reads one message of a browser. The size is looked at first, so that nothing large is parsed. */
export function readBrowserMessage(bytes: Buffer, isBinary: boolean): BrowserMessage {
  if (bytes.byteLength > MAX_BROWSER_MESSAGE_BYTES) {
    return { type: 'close', code: CLOSE_CODES.tooLarge, reason: 'a message may have 256 KiB' }
  }
  const message = isBinary ? undefined : parse(bytes.toString('utf8'))
  if (message === undefined) return { type: 'close', code: CLOSE_CODES.notJson, reason: 'not a JSON object' }
  return 'passthru' in message ? readCall(message['passthru']) : { type: 'present' }
}

function readCall(passthru: unknown): BrowserMessage {
  const ref = z.looseObject({ ref: Ref }).safeParse(passthru).data?.ref
  const { data, error } = PassthruCall.safeParse(passthru)
  if (data === undefined) {
    const [issue] = error?.issues ?? []
    return { type: 'refused', ref, detail: `${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is no call'}`.trim() }
  }
  const { target, func, args, kwargs } = data
  const given = { ...(args === undefined ? {} : { args }), ...(kwargs === undefined ? {} : { kwargs }) }
  return { type: 'passthru', call: { target, func, ...given, ...(ref === undefined ? {} : { ref }) } }
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && isWithinDepth(value) ? value : undefined
  } catch {
    return undefined
  }
}
