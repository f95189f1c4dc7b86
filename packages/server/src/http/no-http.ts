import type { Socket } from 'node:net'
import { STATUS_CODES } from 'node:http'
import { API_ERRORS } from '@printwarden/protocol'
import { PROBLEM_TYPE } from './error-body.js'

/** What Node's parser gives up on, by the status that says so. */
const STATUS_OF_PARSER: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** The answer to what is no HTTP at all, or too much of it: there is no request yet, so it is written by hand. */
export function answerNoHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error)
    return
  }
  const status = STATUS_OF_PARSER[error.code ?? ''] ?? 400
  const { title } = API_ERRORS.invalid_request
  const detail = status === 400 ? 'This is not HTTP as we know it.' : (STATUS_CODES[status] ?? title)
  const body = JSON.stringify({ status, code: 'invalid_request', title, detail })
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
