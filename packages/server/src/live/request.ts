import { CLOSE_CODES, LiveRequest, MAX_MESSAGE_BYTES } from '@printwarden/protocol'

/** What a frame of a subscriber turned out to be. */
export type Frame =
  | { readonly type: 'request'; readonly request: LiveRequest }
  /** Not understood and answered; the socket stays open. */
  | { readonly type: 'refused'; readonly error: { readonly code: string; readonly detail: string } }
  | { readonly type: 'close'; readonly code: number; readonly reason: string }

/** Reads one frame. The size is looked at first, so that nothing large is parsed. */
export function readFrame(bytes: Buffer, isBinary: boolean): Frame {
  if (bytes.byteLength > MAX_MESSAGE_BYTES) {
    return { type: 'close', code: CLOSE_CODES.tooLarge, reason: 'a message may have 1 MiB' }
  }
  if (isBinary) return refuse('malformed_json', 'Send text, not bytes.')
  try {
    return readRequest(JSON.parse(bytes.toString('utf8')))
  } catch {
    return refuse('malformed_json', 'This is not JSON.')
  }
}

function readRequest(value: unknown): Frame {
  const { data, error } = LiveRequest.safeParse(value)
  if (data !== undefined) return { type: 'request', request: data }
  const [issue] = error?.issues ?? []
  const path = issue?.path.join('.') ?? ''
  const message = issue?.message ?? 'not a request'
  return refuse('invalid_request', path === '' ? message : `${path}: ${message}`)
}

function refuse(code: string, detail: string): Frame {
  return { type: 'refused', error: { code, detail } }
}
