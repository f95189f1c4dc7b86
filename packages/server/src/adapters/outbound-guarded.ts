import { lookup as systemLookup } from 'node:dns/promises'
import { type ClientRequest, type IncomingMessage, request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { type AllowEntry, mayAsk } from '../outbound-rules.js'
import { type Outbound, type OutboundAnswer, OutboundError, type OutboundRequest } from '../ports.js'

/** One address of a name. */
export interface FoundAddress {
  readonly address: string
  readonly family: number
}

export interface GuardedOutboundOptions {
  readonly allow: readonly AllowEntry[]
  /** All addresses of a name. */
  readonly lookup?: (host: string) => Promise<readonly FoundAddress[]>
}

const MAX_REDIRECTS = 3
const REDIRECTS = new Set([301, 302, 303, 307, 308])
const MAX_HEADER_BYTES = 16 * 1024
/** What tells the other side who it is dealing with stays with the server that it was meant for. */
const OF_ONE_ORIGIN = ['authorization', 'cookie', 'x-api-key']

/**
 * Asks servers elsewhere. A name is looked up once, and the connection goes to what was found and checked, so that a second answer
 * of a name server changes nothing. Answers that are packed are refused, for they may unfold to anything.
 */
export function openGuardedOutbound({ allow, lookup = lookupAll }: GuardedOutboundOptions): Outbound {
  /** The addresses of a host that may be asked. */
  async function addressesOf(url: URL): Promise<FoundAddress[]> {
    const host = hostOf(url)
    const family = isIP(host)
    const found = family === 0 ? await find(host) : [{ address: host, family }]
    const open = found.filter(({ address }) => mayAsk({ host, address, port: portOf(url) }, allow))
    if (open.length === 0) throw new OutboundError('refused', 'This address may not be asked.')
    return open
  }

  async function find(host: string): Promise<readonly FoundAddress[]> {
    try {
      return await lookup(host)
    } catch (err) {
      throw new OutboundError('failed', 'There is no server of that name.', { cause: err })
    }
  }

  /** One request, to its answer or to where it leads. */
  async function step(request: OutboundRequest, url: URL, signal: AbortSignal): Promise<OutboundAnswer | URL> {
    const addresses = await addressesOf(url)
    signal.throwIfAborted()
    const response = await send(request, url, addresses, signal)
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

async function lookupAll(host: string): Promise<FoundAddress[]> {
  return systemLookup(host, { all: true })
}

function urlOf(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new OutboundError('invalid', 'This is no URL.')
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundError('invalid', 'Only http and https are asked.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('invalid', 'A URL with a user name or password is not asked.')
  }
  return url
}

/** Without brackets. The parser has made a usual address of whatever spelling an address came in. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port))

function withoutSecrets(headers: OutboundRequest['headers'] = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_ORIGIN.includes(name.toLowerCase())))
}

/** Hands the connection what was looked up already. */
function pinned(addresses: readonly FoundAddress[]): LookupFunction {
  const [first] = addresses
  return (_host, { all }, done) => {
    if (all === true) done(null, [...addresses])
    else done(null, first?.address ?? '', first?.family)
  }
}

function send(
  { method = 'GET', headers, body, connectMs }: OutboundRequest,
  url: URL,
  addresses: readonly FoundAddress[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const options: RequestOptions = {
    method,
    signal,
    // A connection of its own: one that is kept might lead elsewhere than this look-up.
    agent: false,
    lookup: pinned(addresses),
    maxHeaderSize: MAX_HEADER_BYTES,
    headers: {
      'accept-encoding': 'identity',
      'user-agent': 'printwarden',
      ...headers,
      ...(body === undefined ? {} : { 'content-length': String(body.byteLength) }),
    },
  }
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest
    const sent: ClientRequest = start(url, options, resolve)
    sent.on('error', reject)
    if (connectMs !== undefined) limitConnecting(sent, connectMs)
    sent.end(body)
  })
}

function limitConnecting(sent: ClientRequest, ms: number): void {
  const late = (): void => {
    sent.destroy(new OutboundError('timeout', 'The server took too long.'))
  }
  const timer = setTimeout(late, ms).unref()
  const stop = (): void => clearTimeout(timer)
  sent.once('socket', (socket) => socket.once('connect', stop))
  sent.once('close', stop)
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = response.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw new OutboundError('failed', 'The answer is packed.')
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
