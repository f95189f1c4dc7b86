import createFetchClient from 'openapi-fetch'
import { ApiError, errorFromAnswer, NetworkError, parseJson } from './errors.js'
import type { Refined } from './resources.js'
import type { operations, paths } from './schema.js'

/** How one operation travels. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  /** Which fields of the input go into the query. */
  readonly query: readonly string[]
  readonly body: 'json' | 'multipart' | undefined
  /** Whether the method's first argument is an input; else it is the options. */
  readonly takesInput: boolean
}

/** What every call accepts besides its input. */
export interface CallOptions {
  /** Gives the call up; the promise rejects with the signal's reason. */
  signal?: AbortSignal
  /** Longest wait for the whole answer, in milliseconds; instead of the client's. 0 means no limit. */
  timeoutMs?: number
  /** Sees the answer's status and headers, such as `X-Total-Count` of a list, before the call resolves or rejects. */
  onResponse?: (response: { readonly status: number; readonly headers: Headers }) => void
}

type Present<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>
type JsonBody<Op> = Op extends { requestBody?: { content: { 'application/json': infer Body } } } ? Body : unknown
type Answer<Op> = Op extends { responses: infer R } ? R[keyof R & (200 | 201)] : never
type Flat<T> = { [Key in keyof T]: T[Key] }

/** What a method takes: the parameters of path and query and the fields of the JSON body, all in one object. */
export type Input<Id extends keyof operations> = Flat<
  Present<operations[Id]['parameters']['path']> &
    Present<operations[Id]['parameters']['query']> &
    JsonBody<operations[Id]>
>

/** What a method resolves to. */
export type Output<Id extends keyof operations> =
  Answer<operations[Id]> extends { content: { 'application/json': infer Body } } ? Refined<Body> : void

/** Where and as whom operations are called. */
export interface Transport {
  readonly baseUrl: string
  readonly fetch: (request: Request) => Promise<Response>
  /** The token to send with this call; undefined relies on the page's session cookie. */
  readonly token: () => Promise<string | undefined>
  readonly timeoutMs: number
}

type Fields = Readonly<Record<string, unknown>>

interface DynamicInit {
  params: { path: Fields; query: Fields }
  body?: unknown
  bodySerializer?: (body: unknown) => unknown
  parseAs: 'text'
  headers: Record<string, string>
  credentials: RequestCredentials
  signal: AbortSignal | null
}

type DynamicRequest = (method: string, path: string, init: DynamicInit) => Promise<Exchanged>

/** `data` is the text of a good answer; `error` is a bad answer's body, parsed when it is JSON. */
interface Exchanged {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

/** Carries out one operation. The caller vouches that `input` and the answer fit the operation's types. */
export async function callOperation(
  transport: Transport,
  operation: Operation,
  input: Fields,
  options: CallOptions = {},
): Promise<unknown> {
  const token = await transport.token()
  const timeoutMs = options.timeoutMs ?? transport.timeoutMs
  const timeout = timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined
  const signals = [options.signal, timeout].filter((signal) => signal !== undefined)
  try {
    const exchanged = await exchange(transport, operation, input, token, signals)
    options.onResponse?.({ status: exchanged.response.status, headers: exchanged.response.headers })
    return readAnswer(exchanged)
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (options.signal?.aborted === true) throw options.signal.reason
    if (timeout?.aborted === true) throw new NetworkError(`no answer within ${timeoutMs} ms`, { cause: error })
    throw new NetworkError('the server could not be reached', { cause: error })
  }
}

function exchange(
  transport: Transport,
  operation: Operation,
  input: Fields,
  token: string | undefined,
  signals: AbortSignal[],
): Promise<Exchanged> {
  const client = createFetchClient<paths>({ baseUrl: transport.baseUrl, fetch: transport.fetch })
  // The library types each path by itself; here the path comes from the table, and the method's signature holds the types.
  const request: unknown = client.request
  return (request as DynamicRequest)(operation.method, operation.path, {
    ...partsOf(operation, input),
    parseAs: 'text',
    headers: { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    credentials: token === undefined ? 'same-origin' : 'omit',
    signal: signals.length === 0 ? null : AbortSignal.any(signals),
  })
}

/** Spreads a flat input over path, query and body, by the operation's table entry. */
function partsOf(operation: Operation, input: Fields): Pick<DynamicInit, 'params' | 'body' | 'bodySerializer'> {
  const path: Record<string, unknown> = {}
  const query: Record<string, unknown> = {}
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue
    if (operation.path.includes(`{${name}}`)) path[name] = value
    else if (operation.query.includes(name)) query[name] = value
    else body[name] = value
  }
  const params = { path, query }
  if (operation.body === undefined) return { params }
  if (operation.body === 'json') return { params, body }
  return { params, body: formOf(body), bodySerializer: (form) => form }
}

function formOf(fields: Fields): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Blob) form.append(name, value, name)
    else form.append(name, String(value))
  }
  return form
}

function readAnswer({ response, data, error }: Exchanged): unknown {
  if (!response.ok) throw errorFromAnswer(response.status, error, response.headers.get('retry-after'), Date.now())
  if (data === undefined || data === '') return undefined
  const body = typeof data === 'string' ? parseJson(data) : undefined
  // Some other program, or the sign-in page of a network, answers at this address.
  if (body === undefined) throw errorFromAnswer(response.status, data, null, Date.now())
  return body
}
