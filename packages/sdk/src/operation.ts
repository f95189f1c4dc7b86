import { uploadPlatform } from '#upload-platform'
import { type Deadline, deadlineOf, pause } from './deadline.js'
import { ApiError, errorFromAnswer, NetworkError, parseJson } from './errors.js'
import { canRepeat, type Part, type Parts, partsOf, SourceError, type TransferProgress } from './multipart.js'
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

type Fields = Readonly<Record<string, unknown>>

/** An input, spread over a request. */
interface Prepared {
  readonly url: string
  readonly json: string | undefined
  readonly parts: readonly Part[] | undefined
}

/** Carries out one operation. The caller vouches that `input` and the answer fit the operation's types. */
export async function callOperation(
  transport: Transport,
  operation: Operation,
  input: Fields,
  options: UploadOptions = {},
): Promise<unknown> {
  const prepared = prepare(transport.baseUrl, operation, input)
  const timeoutMs = options.timeoutMs ?? transport.timeoutMs
  const deadline = deadlineOf(options.signal, timeoutMs, `no answer within ${timeoutMs} ms`)
  const onProgress = (progress: TransferProgress): void => {
    deadline.touch()
    options.onProgress?.(progress)
  }
  try {
    const attempt = () => authorized(transport, operation.method, prepared, deadline, onProgress)
    const policy = retryPolicy(transport.retry, options.retry, isOnce(prepared) ? false : undefined)
    const answer = await withRetries(attempt, deadline, (failed, error) =>
      nextTryIn(policy, failed, operation.method, error, Math.random()),
    )
    options.onResponse?.({ status: answer.status, headers: answer.headers })
    return readAnswer(answer)
  } finally {
    deadline.end()
  }
}

const isOnce = ({ parts }: Prepared): boolean => parts !== undefined && !canRepeat(parts)

/** Tries until an answer is good, or its error is not worth another try, or there is no time for one. */
async function withRetries(
  attempt: () => Promise<Answer>,
  deadline: Deadline,
  nextTry: (failed: number, error: unknown) => number | undefined,
): Promise<Answer> {
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

/** One try; and one more with a new token when the server did not take the first any more, for then it has done nothing. */
async function authorized(
  transport: Transport,
  method: string,
  prepared: Prepared,
  deadline: Deadline,
  onProgress: (progress: TransferProgress) => void,
): Promise<Answer> {
  const token = await deadline.race(transport.token())
  const answer = await exchange(transport, token, method, prepared, deadline, onProgress)
  if (token === undefined || transport.renew === undefined || isOnce(prepared)) return answer
  if (answer.status !== 401 || !ENDED.has(refusalOf(answer)?.code ?? '')) return answer
  await deadline.race(transport.renew(token))
  return exchange(transport, await deadline.race(transport.token()), method, prepared, deadline, onProgress)
}

async function exchange(
  transport: Transport,
  token: string | undefined,
  method: string,
  { url, json, parts }: Prepared,
  deadline: Deadline,
  onProgress: (progress: TransferProgress) => void,
): Promise<Answer> {
  const { signal } = deadline
  const credentials = token === undefined ? ('same-origin' as const) : ('omit' as const)
  const headers = {
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
  }
  try {
    if (parts !== undefined) {
      const upload = { url, method, headers, credentials, parts, signal, fetch: transport.fetch, onProgress }
      return await deadline.race(uploadPlatform.send(upload))
    }
    const request = new Request(url, { method, headers, credentials, body: json ?? null, signal })
    return await deadline.race(fetchOf(transport)(request).then(readWhole))
  } catch (error) {
    throw unanswered(signal, error)
  }
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

/** Spreads a flat input over path, query and body, by the operation's table entry. */
function prepare(baseUrl: string, operation: Operation, input: Fields): Prepared {
  let path = operation.path
  const query: string[] = []
  const rest: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, segmentOf(name, value))
    else if (operation.query.includes(name)) query.push(...pairsOf(name, value))
    else rest[name] = value
  }
  const missing = /\{(\w+)\}/.exec(path)?.[1]
  if (missing !== undefined) throw new TypeError(`"${missing}" is missing`)
  return {
    url: `${baseUrl}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`,
    json: operation.body === 'json' ? JSON.stringify(rest) : undefined,
    parts: typeof operation.body === 'object' ? partsOf(operation.body, rest) : undefined,
  }
}

/** One segment of a path. */
function segmentOf(name: string, value: unknown): string {
  const text = String(value)
  // A URL takes these for directions, however they are written, and would lead to another endpoint.
  if (text === '' || text === '.' || text === '..') throw new TypeError(`"${name}" must not be "${text}"`)
  return encodeURIComponent(text)
}

/** A list is repeated. */
function pairsOf(name: string, value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`)
}

const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300

/** A bad answer as an error; undefined for a good one. */
function refusalOf(answer: Answer): ApiError | undefined {
  if (isOk(answer)) return undefined
  return errorFromAnswer(answer.status, parseJson(answer.text), answer.headers.get('retry-after'), Date.now())
}

function readAnswer(answer: Answer): unknown {
  const refusal = refusalOf(answer)
  if (refusal !== undefined) throw refusal
  if (answer.text === '') return undefined
  const body = parseJson(answer.text)
  // Some other program, or the sign-in page of a network, answers at this address.
  if (body === undefined) throw errorFromAnswer(answer.status, answer.text, null, Date.now())
  return body
}
