import { setTimeout as sleep } from 'node:timers/promises'
import { endpoints, type Endpoint } from '@printwarden/protocol'
import type { z } from 'zod'
import { commandDefaults } from '../config.js'
import { adviceOf } from './advice.js'
import { CommandError, RefusedError, UnansweredError } from './command-error.js'

/** Where to find the server, and as whom. */
export interface ConnectionOptions {
  readonly url: string
  readonly token?: string | undefined
  /** The second step of the administrator's sign-in. */
  readonly code?: string | undefined
  readonly envFile?: string | undefined
  /** What the option is called that gives the token. */
  readonly tokenOption?: string
}

interface Input<B extends z.ZodType> {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: z.input<B>
}

/** A running server, for administration. Signs in with the first call that needs it. */
export interface Connection {
  readonly url: string
  /** Calls an endpoint that answers something. @throws {CommandError} */
  ask<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
    endpoint: Endpoint<P, Q, B, O>,
    input?: Input<B>,
  ): Promise<z.output<O>>
  /** Calls an endpoint that answers nothing. @throws {CommandError} */
  tell<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
    endpoint: Endpoint<P, Q, B, O>,
    input?: Input<B>,
  ): Promise<void>
  /** Sends bytes as they come, however long it takes. @throws {CommandError}; whatever `bytes` fails with, as its cause */
  upload<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
    endpoint: Endpoint<P, Q, B, O>,
    params: Readonly<Record<string, number>>,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<z.output<O>>
  /** Reads a path without a credential, whatever its status. @throws {CommandError} when nobody answers */
  probe(path: string): Promise<{ status: number; text: string }>
}

const TIMEOUT_MS = 30_000

/** Long work, such as an import, may ask faster than the server allows: a short wait is waited, a long one is told. */
const LONGEST_WAIT_MS = 10_000
const MAX_TRIES = 10

/** The share of a token's life after which long work signs in anew. */
const RENEWED_AFTER = 0.5

/** @throws {CommandError} when the URL cannot be used */
export function openConnection(options: ConnectionOptions): Connection {
  const { url: given, token: givenToken, code, envFile, tokenOption = '--token' } = options
  const url = serverUrl(given)
  let signingIn: Promise<string> | undefined
  let renewAt = Number.POSITIVE_INFINITY

  async function send(method: string, path: string, token: string | undefined, body: unknown): Promise<Response> {
    const headers = headersOf(token)
    if (body !== undefined) headers.set('content-type', 'application/json')
    for (let tries = 1; ; tries += 1) {
      const init = { method, headers, signal: AbortSignal.timeout(TIMEOUT_MS) }
      const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) }
      const response = await answered(fetch(`${url}${path}`, sent))
      const waitMs = tries < MAX_TRIES ? shortWaitMs(response) : undefined
      if (waitMs === undefined) return response
      await response.body?.cancel()
      await sleep(waitMs)
    }
  }

  async function answered(response: Promise<Response>): Promise<Response> {
    try {
      return await response
    } catch (error) {
      throw new UnansweredError(
        `no answer from ${url} (${reasonOf(error)}); is the server running there? --url names another`,
        {
          cause: error,
        },
      )
    }
  }

  async function call(endpoint: Endpoint, input: Input<z.ZodType>): Promise<string> {
    const query = input.query === undefined ? '' : `?${new URLSearchParams(input.query).toString()}`
    const path = pathOf(endpoint, input.params) + query
    if (endpoint.access === 'anyone') return accepted(await send(endpoint.method, path, undefined, input.body))
    return accepted(await send(endpoint.method, path, await tokenForCalls(), input.body))
  }

  async function accepted(response: Response): Promise<string> {
    const text = await response.text()
    if (response.ok) return text
    const retryAfter = response.headers.get('retry-after')
    throw new RefusedError(adviceOf({ status: response.status, retryAfter, text }, tokenOption), response.status)
  }

  function tokenForCalls(): Promise<string> {
    // A code of the authenticator lets in once, so then it stays with the token that there is.
    if (Date.now() > renewAt && code === undefined) signingIn = undefined
    signingIn ??= givenToken === undefined ? signIn() : Promise.resolve(givenToken)
    return signingIn
  }

  async function signIn(): Promise<string> {
    const { email, password } = commandDefaults(envFile)
    if (email === undefined || email === '' || password === undefined || password === '') {
      throw new CommandError(
        `no credentials; set PRINTWARDEN_ADMIN_EMAIL and PRINTWARDEN_ADMIN_PASSWORD, or give ${tokenOption}`,
      )
    }
    const answer = await ask(endpoints.adminSignIn, {
      body: { email, password, ...(code === undefined ? {} : { code }) },
    })
    renewAt = Date.now() + answer.expires_in * 1000 * RENEWED_AFTER
    return answer.access_token
  }

  async function ask<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
    endpoint: Endpoint<P, Q, B, O>,
    input: Input<B> = {},
  ): Promise<z.output<O>> {
    return understood(endpoint, await call(endpoint, input))
  }

  function understood<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
    endpoint: Endpoint<P, Q, B, O>,
    text: string,
  ): z.output<O> {
    if (endpoint.output === undefined) throw new Error(`${endpoint.id} answers nothing`)
    const result = endpoint.output.safeParse(JSON.parse(text))
    if (result.success) return result.data
    throw new CommandError(`the answer of ${url} is not understood; are server and command of the same version?`)
  }

  return {
    url,
    ask,
    async tell(endpoint, input = {}) {
      await call(endpoint, input)
    },
    async upload(endpoint, params, bytes) {
      const token = await tokenForCalls()
      const headers = headersOf(token)
      headers.set('content-type', 'application/octet-stream')
      const init = { method: endpoint.method, headers, body: bytes, duplex: 'half' } as const
      return understood(endpoint, await accepted(await answered(fetch(`${url}${pathOf(endpoint, params)}`, init))))
    },
    async probe(path) {
      const response = await send('GET', path, undefined, undefined)
      return { status: response.status, text: await response.text() }
    },
  }
}

/** How long a refused request is to wait, when that is not long. */
function shortWaitMs({ status, headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return status === 429 && seconds * 1000 <= LONGEST_WAIT_MS ? seconds * 1000 : undefined
}

function headersOf(token: string | undefined): Headers {
  const headers = new Headers({ accept: 'application/json' })
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  return headers
}

function pathOf({ path }: Endpoint, params: Readonly<Record<string, string | number>> = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
}

function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return (url.origin + url.pathname).replace(/\/+$/, '')
  throw new CommandError(`--url ${text}: is no URL of a server; it looks like http://192.168.1.20:3334`)
}

/** Why a request got no answer: fetch hides it in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0])
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}
