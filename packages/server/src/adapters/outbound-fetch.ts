import { Readable } from 'node:stream'
import { OutboundError } from '../ports.js'
import { type GuardedOutboundOptions, guardedConnect, refusePacked, urlOf } from './outbound-connection.js'

const CONNECT_MS = 10_000

/** More than any model writes. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024

/**
 * `fetch` for libraries that bring their own protocol and read answers while they come: the same guard as {@link Outbound}'s. Redirects
 * are refused, since the key is meant for this server alone.
 */
export function openGuardedFetch(options: GuardedOutboundOptions): typeof fetch {
  const connect = guardedConnect(options)

  return async (input, init = {}) => {
    const url = urlOf(input instanceof Request ? input.url : String(input))
    const signal = init.signal ?? new AbortController().signal
    const body = typeof init.body === 'string' ? Buffer.from(init.body) : undefined
    const sent = { method: methodOf(init.method), headers: headersOf(init.headers), connectMs: CONNECT_MS }
    const response = await connect(body === undefined ? sent : { ...sent, body }, url, signal)
    const { statusCode: status = 0 } = response
    try {
      refusePacked(response)
      if (status < 200 || (status >= 300 && status < 400)) {
        throw new OutboundError('failed', `The server answers ${status}, and redirects are not followed.`)
      }
    } catch (error) {
      response.destroy()
      throw error
    }
    const headers = new Headers({ 'content-type': response.headers['content-type'] ?? '' })
    const retryAfter = response.headers['retry-after']
    if (retryAfter !== undefined) headers.set('retry-after', retryAfter)
    const content = status === 204 ? null : (Readable.toWeb(limited(response)) as ReadableStream<Uint8Array>)
    return new Response(content, { status, headers })
  }
}

/** The same bytes, until they are too many. */
function limited(source: Readable): Readable {
  async function* chunks(): AsyncGenerator<Buffer> {
    let size = 0
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_ANSWER_BYTES) throw new OutboundError('too_large', 'The answer is too large.')
      yield chunk
    }
  }
  return Readable.from(chunks(), { objectMode: false })
}

function methodOf(method = 'GET'): 'GET' | 'POST' {
  if (method !== 'GET' && method !== 'POST') throw new OutboundError('invalid', `${method} is not sent.`)
  return method
}

const headersOf = (headers: RequestInit['headers']): Record<string, string> =>
  Object.fromEntries(new Headers(headers).entries())
