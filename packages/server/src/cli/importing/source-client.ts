import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { candidatesOf, maySendToken, mayFetch, type Origin, originAt } from './address-rules.js'
import { isPassing, MAX_TRIES, waitMs } from './pace.js'
import { SourceError } from './source-error.js'

const MAX_JSON_BYTES = 64 * 1024 ** 2
const MAX_REDIRECTS = 5
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Nothing is heard for so long: the connection counts as broken. */
const SILENCE_MS = 60_000

/** The server that is imported from. Asks again what may be mended by that, ever more slowly. */
export interface SourceClient {
  readonly base: URL
  /** Reads a path of the API, below `/api/v1/`. Undefined where the answer is 404. @throws {SourceError} */
  json(path: string): Promise<unknown>
  /** Opens a file, from a byte on. @throws {SourceError} gone when it is not there or its address has expired */
  openFile(url: string, start: number, end?: number): Promise<IncomingMessage>
}

/** @throws {SourceError} when the server's name leads nowhere */
export async function openSource(base: URL, token: string): Promise<SourceClient> {
  const host = bare(base.hostname)
  const found = isIP(host) === 0 ? await find(host) : [{ address: host }]
  const origin = originAt(
    base,
    found.map(({ address }) => address),
  )

  function get(url: URL, headers: Record<string, string>): Promise<IncomingMessage> {
    const name = bare(url.hostname)
    if (isIP(name) !== 0 && !mayFetch(url.hostname, name, origin)) throw refused(url)
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    return new Promise((resolve, reject) => {
      const options = { headers, lookup: guarded(url.hostname, origin), timeout: SILENCE_MS }
      const request = send(url, options, resolve)
      request.on('timeout', () => request.destroy(new Error('nothing was heard for a minute')))
      request.on('error', reject)
      request.end()
    })
  }

  /** One request with its redirects. The token leaves with it only where it may. */
  async function follow(start: URL, extra: Record<string, string>, withToken: boolean): Promise<IncomingMessage> {
    let url = start
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const sent = withToken && maySendToken(url, origin)
      const response = await get(url, { ...extra, ...(sent ? { authorization: `Bearer ${token}` } : {}) })
      const { location } = response.headers
      if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return response
      response.destroy()
      const next = new URL(location, url)
      if (next.protocol !== 'http:' && next.protocol !== 'https:') break
      if (withToken && !maySendToken(next, origin)) {
        throw new SourceError('unreachable', `it sends requests on to ${next.origin}; give that address with --from`)
      }
      url = next
    }
    throw new SourceError('broken', 'it redirects without end')
  }

  /** Asks until there is an answer that will not change by asking again. */
  async function ask(url: URL, extra: Record<string, string>, withToken: boolean): Promise<IncomingMessage> {
    for (let tries = 1; ; tries++) {
      let retryAfter: string | undefined
      let problem: SourceError
      try {
        const response = await follow(url, extra, withToken)
        const { statusCode = 0 } = response
        if (!isPassing(statusCode)) return response
        response.destroy()
        retryAfter = response.headers['retry-after']
        problem = new SourceError('broken', `it answers ${statusCode} again and again`)
      } catch (error) {
        if (error instanceof SourceError) throw error
        problem = new SourceError('unreachable', `no answer from ${url.origin} (${reasonOf(error)})`, { cause: error })
      }
      if (tries >= MAX_TRIES) throw problem
      await sleep(waitMs(tries, retryAfter, Date.now()))
    }
  }

  async function json(path: string): Promise<unknown> {
    const url = new URL(`${base.href.replace(/\/+$/, '')}/api/v1/${path}`)
    for (let tries = 1; ; tries++) {
      const response = await ask(url, { accept: 'application/json' }, true)
      const { statusCode = 0 } = response
      if (statusCode === 404) {
        response.destroy()
        return undefined
      }
      if (statusCode === 401 || statusCode === 403) {
        response.destroy()
        throw new SourceError('unauthorized', `it does not accept the token (${statusCode})`)
      }
      try {
        const text = await textOf(response)
        if (statusCode !== 200) throw new SourceError('broken', `it answers ${statusCode} to ${url.pathname}`)
        return parsed(text, url)
      } catch (error) {
        if (error instanceof SourceError) throw error
        if (tries >= MAX_TRIES)
          throw new SourceError('broken', `its answers break off (${reasonOf(error)})`, { cause: error })
        await sleep(waitMs(tries, undefined, Date.now()))
      }
    }
  }

  async function openFile(text: string, start: number, end?: number): Promise<IncomingMessage> {
    const headers = start === 0 && end === undefined ? {} : { range: `bytes=${start}-${end ?? ''}` }
    let problem = new SourceError('not_understood', 'it names no address of a file')
    for (const url of candidatesOf(text, origin)) {
      const isApi = url.pathname.startsWith(`${base.pathname.replace(/\/+$/, '')}/api/`)
      try {
        const response = await ask(url, headers, isApi)
        if (response.statusCode === 200 || response.statusCode === 206) return response
        response.destroy()
        problem = new SourceError('gone', `the file is not there any more (${response.statusCode})`)
      } catch (error) {
        if (!(error instanceof SourceError)) throw error
        problem = error
      }
    }
    throw problem
  }

  return { base, json, openFile }
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

const refused = (url: URL): SourceError =>
  new SourceError('refused_address', `it names a file at ${url.host}, a private address that is not asked`)

async function find(host: string): Promise<{ address: string; family: number }[]> {
  try {
    return await lookup(host, { all: true })
  } catch (error) {
    throw new SourceError('unreachable', `there is no server called ${host}`, { cause: error })
  }
}

/** Connects only to addresses that were looked at, so that a second answer of a name server changes nothing. */
function guarded(hostname: string, origin: Origin): LookupFunction {
  return (host, options, done) => {
    find(host).then(
      (all) => {
        const open = all.filter(({ address }) => mayFetch(hostname, address, origin))
        const [first] = open
        if (first === undefined) done(refused(new URL(`http://${hostname}`)), '', 0)
        else if (options.all === true) done(null, open)
        else done(null, first.address, first.family)
      },
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), '', 0),
    )
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk as Uint8Array)
    size += bytes.length
    if (size > MAX_JSON_BYTES) throw new SourceError('not_understood', 'it answers with more than a list can be')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string, url: URL): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SourceError('not_understood', `it answers ${url.pathname} with something that is no JSON`)
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
