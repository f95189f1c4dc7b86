import type { IncomingMessage } from 'node:http'
import { type Outbound, type OutboundAnswer, OutboundError, type OutboundRequest } from '../ports.js'
import { type GuardedOutboundOptions, guardedConnect, refusePacked, urlOf } from './outbound-connection.js'

const MAX_REDIRECTS = 3
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** What tells the other side who it is dealing with stays with the server that it was meant for. */
const OF_ONE_ORIGIN = ['authorization', 'cookie', 'x-api-key']

/** Asks servers elsewhere, and reads their answers whole. Answers that are packed are refused. */
export function openGuardedOutbound(options: GuardedOutboundOptions): Outbound {
  const connect = guardedConnect(options)

  /** One request, to its answer or to where it leads. */
  async function step(request: OutboundRequest, url: URL, signal: AbortSignal): Promise<OutboundAnswer | URL> {
    const response = await connect(request, url, signal)
    try {
      const { statusCode = 0, headers } = response
      if (REDIRECTS.has(statusCode) && headers.location !== undefined) return urlOf(headers.location, url)
      const body = await readBody(response, request.maxBytes)
      return { status: statusCode, contentType: headers['content-type'] ?? '', body }
    } finally {
      response.destroy()
    }
  }

  async function follow(request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> {
    let asked = request
    let url = urlOf(request.url)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await step(asked, url, signal)
      if (!(answer instanceof URL)) return answer
      // Nobody asked for the body to be sent elsewhere.
      if (request.method === 'POST') throw new OutboundError('failed', 'The server sends the request elsewhere.')
      if (answer.origin !== url.origin) asked = { ...asked, headers: withoutSecrets(asked.headers) }
      url = answer
    }
    throw new OutboundError('failed', 'The server redirects too often.')
  }

  return {
    async request(request) {
      const signal = AbortSignal.timeout(request.timeoutMs)
      // A look-up cannot be aborted, so the limit holds beside it.
      const late = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      })
      try {
        return await Promise.race([follow(request, signal), late])
      } catch (err) {
        if (err instanceof OutboundError) throw err
        if (signal.aborted) throw new OutboundError('timeout', 'The server took too long.', { cause: err })
        throw new OutboundError('failed', 'The server could not be reached.', { cause: err })
      }
    },
  }
}

function withoutSecrets(headers: OutboundRequest['headers'] = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_ORIGIN.includes(name.toLowerCase())))
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  refusePacked(response)
  const told = Number(response.headers['content-length'] ?? 0)
  if (told > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

const tooLarge = (): OutboundError => new OutboundError('too_large', 'The answer is too large.')
