import { retryDelayMs } from './backoff.js'
import { type Deadline, deadlineOf, pause } from './deadline.js'
import { ApiError, errorFromAnswer, NetworkError, parseJson } from './errors.js'
import type { TransferProgress } from './multipart.js'
import { fetchOf, type Transport, unanswered } from './operation.js'
import { nextTryIn, type RetryOptions, type RetryPolicy, retryPolicy } from './retry.js'

/** What a download accepts. */
export interface DownloadOptions {
  /** Gives the download up, also while it is read. */
  signal?: AbortSignal
  /** Longest time without a byte while one is waited for, in milliseconds; instead of the client's. 0 means no limit. */
  timeoutMs?: number
  /** When to try again, and to go on after a broken connection; the tries count anew whenever bytes came. */
  retry?: RetryOptions | false
  /** Hears how far the download is. */
  onProgress?: (progress: TransferProgress) => void
}

/** A file on its way. Nothing is fetched faster than `stream` is read; a stream that is not wanted must be cancelled. */
export interface Download {
  /** In bytes; undefined when the server does not say. */
  readonly size: number | undefined
  /** The media type, such as `video/mp4`. */
  readonly type: string
  /** The bytes. A broken connection is made again, and goes on where it broke. */
  readonly stream: ReadableStream<Uint8Array>
}

/** What is known of a file from the first answer, to notice when another one has taken its place. */
interface Known {
  readonly size: number | undefined
  readonly validator: string | undefined
}

/** Fetches one file; see {@link Download}. */
export async function openDownload(transport: Transport, url: string, options: DownloadOptions): Promise<Download> {
  const target = new URL(url, `${transport.baseUrl}/`)
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    throw new TypeError('only http and https can be downloaded')
  const source: Source = { transport, target, options, policy: retryPolicy(transport.retry, options.retry) }
  const first = await untilAnswered(source, (deadline) => ask(source, deadline, 0, undefined))
  const known: Known = { size: sizeOf(first.headers), validator: validatorOf(first.headers) }
  return {
    size: known.size,
    type: first.headers.get('content-type') ?? 'application/octet-stream',
    stream: streamOf(source, first, known),
  }
}

interface Source {
  readonly transport: Transport
  readonly target: URL
  readonly options: DownloadOptions
  readonly policy: RetryPolicy
}

function deadlineFor({ transport, options }: Source): Deadline {
  const timeoutMs = options.timeoutMs ?? transport.timeoutMs
  return deadlineOf(options.signal, timeoutMs, `nothing came within ${timeoutMs} ms`)
}

async function untilAnswered(source: Source, attempt: (deadline: Deadline) => Promise<Response>): Promise<Response> {
  for (let failed = 1; ; failed += 1) {
    const deadline = deadlineFor(source)
    try {
      return await attempt(deadline)
    } catch (error) {
      const isGivenUp = source.options.signal?.aborted === true
      const delay = isGivenUp ? undefined : nextTryIn(source.policy, failed, 'GET', error, Math.random())
      if (delay === undefined) throw error
      await pause(delay, source.options.signal ?? never())
    } finally {
      deadline.end()
    }
  }
}

/** What needs the token. */
const OURS = ['/api/', '/assistant/']

/** One request for the bytes from `offset` on. */
async function ask(source: Source, deadline: Deadline, offset: number, known: Known | undefined): Promise<Response> {
  const { transport, target } = source
  // A signed address needs no token, and with one a page of another origin could not ask for it. Another server must not get it.
  const isOurs = OURS.some((path) => target.href.startsWith(`${transport.baseUrl}${path}`))
  const token = isOurs ? await deadline.race(transport.token()) : undefined
  const headers: Record<string, string> = {}
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`
  if (offset > 0) {
    headers['range'] = `bytes=${offset}-`
    if (known?.validator !== undefined) headers['if-range'] = known.validator
  }
  const credentials = isOurs && token === undefined ? 'same-origin' : 'omit'
  // The deadline is for the head of the answer alone. What is read afterwards ends with its reader.
  const request = new Request(target, { headers, credentials, signal: deadline.signal })
  let response: Response
  let text = ''
  try {
    response = await deadline.race(fetchOf(transport)(request))
    if (response.ok) return response
    text = await deadline.race(response.text())
  } catch (error) {
    throw unanswered(deadline.signal, error)
  }
  throw errorFromAnswer(response.status, parseJson(text), response.headers.get('retry-after'), Date.now())
}

function streamOf(source: Source, first: Response, known: Known): ReadableStream<Uint8Array> {
  const { options, policy } = source
  let reader = readerOf(first)
  let loaded = 0
  let failed = 0
  // Otherwise a connection that nobody reads at the moment would stay open.
  const giveUp = () => void reader.cancel().catch(() => undefined)
  options.signal?.addEventListener('abort', giveUp)
  const end = () => options.signal?.removeEventListener('abort', giveUp)

  /** The next bytes; goes on after a break, until the tries are used up. */
  async function next(): Promise<Uint8Array | undefined> {
    for (;;) {
      try {
        const { done, value } = await readInTime(source, reader)
        if (!done) {
          failed = 0
          return value
        }
        if (known.size === undefined || loaded >= known.size) return undefined
        throw new NetworkError(`the connection ended after ${loaded} of ${known.size} bytes`)
      } catch (error) {
        await goOn(error)
      }
    }
  }

  async function goOn(error: unknown): Promise<void> {
    void reader.cancel().catch(() => undefined)
    if (options.signal?.aborted === true) throw options.signal.reason
    failed += 1
    if (failed >= policy.attempts || error instanceof ApiError) throw asNetworkError(error)
    await pause(Math.min(retryDelayMs(failed, Math.random()), policy.longestDelayMs), options.signal ?? never())
    try {
      const response = await untilAnswered(source, (deadline) => ask(source, deadline, loaded, known))
      reader = readerOf(await from(response, loaded, known))
    } catch (again) {
      throw asNetworkError(again)
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await next().catch((error: unknown) => {
          end()
          throw error
        })
        if (chunk === undefined) {
          end()
          return controller.close()
        }
        loaded += chunk.length
        options.onProgress?.({ loaded, total: known.size })
        controller.enqueue(chunk)
      },
      async cancel(reason) {
        end()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

const never = (): AbortSignal => new AbortController().signal

type Reader = ReadableStreamDefaultReader<Uint8Array>

const readerOf = (response: Response): Reader => (response.body ?? new Blob([]).stream()).getReader()

async function readInTime(source: Source, reader: Reader): Promise<ReadableStreamReadResult<Uint8Array>> {
  const deadline = deadlineFor(source)
  try {
    return await deadline.race(reader.read())
  } finally {
    deadline.end()
  }
}

/** The rest of a file from an answer that may hold the rest, or, from a server that takes no ranges, all of it. */
async function from(response: Response, offset: number, known: Known): Promise<Response> {
  const changed = () => new NetworkError('the file changed while it was downloaded')
  if (known.validator !== undefined && validatorOf(response.headers) !== known.validator) throw changed()
  if (response.status === 206) {
    // Pages of other origins may not see this header; they have asked for these bytes and no others.
    const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1]
    if (start !== undefined && Number(start) !== offset) throw changed()
    return response
  }
  if (sizeOf(response.headers) !== known.size) throw changed()
  return new Response(response.body?.pipeThrough(skipping(offset)) ?? null)
}

function skipping(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes
  return new TransformStream({
    transform(chunk, controller) {
      if (left < chunk.length) controller.enqueue(chunk.subarray(left))
      left = Math.max(0, left - chunk.length)
    },
  })
}

/** The size of what is read here, which a body that was compressed on the way does not tell. */
function sizeOf(headers: Headers): number | undefined {
  const length = headers.get('content-length')
  const isEncoded = (headers.get('content-encoding') ?? 'identity') !== 'identity'
  return length === null || isEncoded ? undefined : Number(length)
}

/** What tells one version of a file from another: a strong tag, else the time of its last change. */
function validatorOf(headers: Headers): string | undefined {
  const tag = headers.get('etag')
  return tag !== null && !tag.startsWith('W/') ? tag : (headers.get('last-modified') ?? undefined)
}

function asNetworkError(error: unknown): unknown {
  if (error instanceof NetworkError || error instanceof ApiError) return error
  return new NetworkError('the download broke off', { cause: error })
}
