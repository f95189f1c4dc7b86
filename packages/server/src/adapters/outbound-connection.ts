import { lookup as systemLookup } from 'node:dns/promises'
import { type ClientRequest, type IncomingMessage, request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { type AllowEntry, mayAsk } from '../outbound-rules.js'
import { OutboundError, type OutboundRequest } from '../ports.js'

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

const MAX_HEADER_BYTES = 16 * 1024

/** What is sent, without where to. */
export type Sent = Pick<OutboundRequest, 'method' | 'headers' | 'body' | 'connectMs'>

/** Sends one request to a server elsewhere, if it may be asked. Redirects are for the caller. */
export type Connect = (sent: Sent, url: URL, signal: AbortSignal) => Promise<IncomingMessage>

/**
 * A name is looked up once, and the connection goes to what was found and checked, so that a second answer of a name server changes
 * nothing.
 */
export function guardedConnect({ allow, lookup = lookupAll }: GuardedOutboundOptions): Connect {
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

  return async (sent, url, signal) => {
    const addresses = await addressesOf(url)
    signal.throwIfAborted()
    return send(sent, url, addresses, signal)
  }
}

async function lookupAll(host: string): Promise<FoundAddress[]> {
  return systemLookup(host, { all: true })
}

/** A URL that can be asked, as it stands or as `base` leads to it. @throws {OutboundError} invalid */
export function urlOf(text: string, base?: URL): URL {
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

/** Hands the connection what was looked up already. */
function pinned(addresses: readonly FoundAddress[]): LookupFunction {
  const [first] = addresses
  return (_host, { all }, done) => {
    if (all === true) done(null, [...addresses])
    else done(null, first?.address ?? '', first?.family)
  }
}

function send(
  { method = 'GET', headers, body, connectMs }: Sent,
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

/** An answer that is packed may unfold to anything. @throws {OutboundError} */
export function refusePacked(response: IncomingMessage): void {
  const encoding = response.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw new OutboundError('failed', 'The answer is packed.')
}
