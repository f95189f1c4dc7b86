import { uploadPlatform } from '#upload-platform'
import { type Deadline, deadlineOf, pause } from './deadline.js'
import { ApiError, errorFromAnswer, NetworkError, parseJson } from './errors.js'
import { canRepeat, type Parts, SourceError, type TransferProgress } from './multipart.js'
import { type Fields, type Prepared, prepare } from './prepare.js'
import type { Refined } from './resources.js'
import { nextTryIn, type RetryOptions, retryPolicy } from './retry.js'
import type { operations } from './schema.js'
import { type Answer, readWhole } from './upload.js'

/** How one operation travels. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  /** Which fields of the input go into the query. */
  readonly query: readonly string[]
  /** What the rest of the input is: a JSON body, the parts of a multipart body, or nothing. */
  readonly body: 'json' | Parts | undefined
  /** Whether the method's first argument is an input; else it is the options. */
  readonly takesInput: boolean
}

/** What every call accepts besides its input. */
export interface CallOptions {
  /** Gives the call up; the promise rejects with the signal's reason. */
  signal?: AbortSignal
  /** Longest wait for the whole answer, second tries included, in milliseconds; instead of the client's. 0 means no limit. */
  timeoutMs?: number
  /** When to try again; instead of what the client says. `false` means never. */
  retry?: RetryOptions | false
  /** Sees the answer's status and headers, such as `X-Total-Count` of a list, before the call resolves or rejects. */
  onResponse?: (response: { readonly status: number; readonly headers: Headers }) => void
}

/** What a call that uploads accepts. `timeoutMs` is the longest time without progress, since a large file takes its time. */
export interface UploadOptions extends CallOptions {
  /** Hears how far the upload is: the bytes of the files, without what the request adds. */
  onProgress?: (progress: TransferProgress) => void
}

type Present<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>
type JsonBody<Op> = Op extends { requestBody?: { content: { 'application/json': infer Body } } } ? Body : unknown
type JsonAnswer<Op> = Op extends { responses: infer R } ? R[keyof R & (200 | 201)] : never
type Flat<T> = { [Key in keyof T]: T[Key] }

/** What a method takes: the parameters of path and query and the fields of the JSON body, all in one object. */
export type Input<Id extends keyof operations> = Flat<Parameters<Id> & JsonBody<operations[Id]>>

/** The parameters of path and query alone: what a method that uploads takes besides its parts. */
export type Parameters<Id extends keyof operations> = Flat<
  Present<operations[Id]['parameters']['path']> & Present<operations[Id]['parameters']['query']>
>

/** What a method resolves to. */
export type Output<Id extends keyof operations> =
  JsonAnswer<operations[Id]> extends { content: { 'application/json': infer Body } } ? Refined<Body> : void

/** Where and as whom operations are called. */
export interface Transport {
  readonly baseUrl: string
  /** The caller's own; undefined for the platform's. */
  readonly fetch: ((request: Request) => Promise<Response>) | undefined
  /** The token to send with this call; undefined relies on the page's session cookie. */
  readonly token: () => Promise<string | undefined>
  /** Gets another token once this one is over; undefined when there is nothing to get it with. */
  readonly renew?: ((ended: string) => Promise<void>) | undefined
  readonly timeoutMs: number
  readonly retry: RetryOptions | false | undefined
}

/** An answer, or, where a stream was asked for and came, its head. */
export interface Reply extends Answer {
  /** What follows the head; undefined when the answer was read to its end. */
  readonly stream?: ReadableStream<Uint8Array>
}

/** How an answer is asked for and read. */
interface Reading {
  readonly accept: string
  readonly read: (response: Response) => Promise<Reply>
}

const WHOLE: Reading = { accept: 'application/json', read: readWhole }
const EVENTS: Reading = { accept: 'text/event-stream', read: readHead }

/** Carries out one operation. The caller vouches that `input` and the answer fit the operation's types. */
export async function callOperation(
  transport: Transport,
  operation: Operation,
  input: Fields,
  options: UploadOptions = {},
): Promise<unknown> {
  return readAnswer(await replyTo(transport, operation, input, options, WHOLE))
}

/**
 * Asks an operation for its answer as events, and resolves to the head of it. Nothing but the head is waited for: the stream ends with
 * its reader.
 *
 * @throws {ApiError} when the server said no
 */
export async function openOperation(
  transport: Transport,
  operation: Operation,
  input: Fields,
  options: CallOptions,
): Promise<Reply> {
  const reply = await replyTo(transport, operation, input, options, EVENTS)
  const refusal = refusalOf(reply)
  if (refusal !== undefined) throw refusal
  return reply
}

async function replyTo(
  transport: Transport,
  operation: Operation,
  input: Fields,
  options: UploadOptions,
  reading: Reading,
): Promise<Reply> {
  const prepared = prepare(transport.baseUrl, operation, input)
  const timeoutMs = options.timeoutMs ?? transport.timeoutMs
  const deadline = deadlineOf(options.signal, timeoutMs, `no answer within ${timeoutMs} ms`)
  const onProgress = (progress: TransferProgress): void => {
    deadline.touch()
    options.onProgress?.(progress)
  }
  try {
    const attempt = () => authorized({ transport, method: operation.method, prepared, reading, deadline, onProgress })
    const policy = retryPolicy(transport.retry, options.retry, isOnce(prepared) ? false : undefined)
    const answer = await withRetries(attempt, deadline, (failed, error) =>
      nextTryIn(policy, failed, operation.method, error, Math.random()),
    )
    options.onResponse?.({ status: answer.status, headers: answer.headers })
    return answer
  } finally {
    deadline.end()
  }
}

const isOnce = ({ parts }: Prepared): boolean => parts !== undefined && !canRepeat(parts)

/** Tries until an answer is good, or its error is not worth another try, or there is no time for one. */
async function withRetries(
  attempt: () => Promise<Reply>,
  deadline: Deadline,
  nextTry: (failed: number, error: unknown) => number | undefined,
): Promise<Reply> {
  for (let failed = 1; ; failed += 1) {
    const outcome = await attempt().then(
      (answer) => ({ answer, error: refusalOf(answer) }),
      (error: unknown) => ({ answer: undefined, error }),
    )
    if (outcome.answer !== undefined && outcome.error === undefined) return outcome.answer
    const delay = deadline.signal.aborted ? undefined : nextTry(failed, outcome.error)
    if (delay === undefined || delay >= deadline.leftMs()) {
      if (outcome.answer !== undefined) return outcome.answer
      throw outcome.error
    }
    await pause(delay, deadline.signal)
  }
}

/** A token that is over: expired, or revoked, or so old that the server has forgotten it. */
const ENDED = new Set<string>(['token_expired', 'token_revoked', 'unauthorized'])

/** A request that can be sent again. */
interface Call {
  readonly transport: Transport
  readonly method: string
  readonly prepared: Prepared
  readonly reading: Reading
  readonly deadline: Deadline
  readonly onProgress: (progress: TransferProgress) => void
}

/** One try; and one more with a new token when the server did not take the first any more, for then it has done nothing. */
async function authorized(call: Call): Promise<Reply> {
  const { transport, prepared, deadline } = call
  const token = await deadline.race(transport.token())
  const answer = await exchange(call, token)
  if (token === undefined || transport.renew === undefined || isOnce(prepared)) return answer
  if (answer.status !== 401 || !ENDED.has(refusalOf(answer)?.code ?? '')) return answer
  await deadline.race(transport.renew(token))
  return exchange(call, await deadline.race(transport.token()))
}

async function exchange(call: Call, token: string | undefined): Promise<Reply> {
  const { transport, method, reading, deadline, onProgress } = call
  const { url, json, parts } = call.prepared
  const { signal } = deadline
  const credentials = token === undefined ? ('same-origin' as const) : ('omit' as const)
  const headers = {
    accept: reading.accept,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
  }
  try {
    if (parts !== undefined) {
      const upload = { url, method, headers, credentials, parts, signal, fetch: transport.fetch, onProgress }
      return await deadline.race(uploadPlatform.send(upload))
    }
    const request = new Request(url, { method, headers, credentials, body: json ?? null, signal })
    return await deadline.race(fetchOf(transport)(request).then(reading.read))
  } catch (error) {
    throw unanswered(signal, error)
  }
}

/** Leaves events unread; anything else is read to its end. */
async function readHead(response: Response): Promise<Reply> {
  const { status, headers, body, ok } = response
  const isEvents = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')
  return ok && isEvents && body !== null ? { status, headers, text: '', stream: body } : readWhole(response)
}

/** What the client fetches with. The platform's is looked up at each call, so that a page or a test may replace it. */
export const fetchOf = ({ fetch }: Pick<Transport, 'fetch'>): ((request: Request) => Promise<Response>) =>
  fetch ?? ((request) => globalThis.fetch(request))

/**
 * What a call without an answer rejects with: why it was given up, or the error of what a file was read from, or else a
 * {@link NetworkError}.
 */
export function unanswered(signal: AbortSignal, error: unknown): unknown {
  if (signal.aborted) return signal.reason
  // `fetch` makes its own error of what a body throws.
  for (const one of [error, error instanceof Error ? error.cause : undefined]) {
    if (one instanceof SourceError) return one.cause
  }
  return new NetworkError('the server could not be reached', { cause: error })
}

const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300

/** A bad answer as an error; undefined for a good one. */
function refusalOf(answer: Answer): ApiError | undefined {
  if (isOk(answer)) return undefined
  return errorFromAnswer(answer.status, parseJson(answer.text), answer.headers.get('retry-after'), Date.now())
}

/** The body of a good answer; throws what a bad one says. */
export function readAnswer(answer: Answer): unknown {
  const refusal = refusalOf(answer)
  if (refusal !== undefined) throw refusal
  if (answer.text === '') return undefined
  const body = parseJson(answer.text)
  // Some other program, or the sign-in page of a network, answers at this address.
  if (body === undefined) throw errorFromAnswer(answer.status, answer.text, null, Date.now())
  return body
}
