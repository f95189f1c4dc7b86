import { endpoints, type Endpoint } from '@printwarden/protocol'
import type { z } from 'zod'
import { commandDefaults } from '../config.js'
import { adviceOf } from './advice.js'
import { CommandError } from './command-error.js'

/** Where to find the server, and as whom. */
export interface ConnectionOptions {
  readonly url: string
  readonly token?: string | undefined
  /** The second step of the administrator's sign-in. */
  readonly code?: string | undefined
  readonly envFile?: string | undefined
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
  /** Reads a path without a credential, whatever its status. @throws {CommandError} when nobody answers */
  probe(path: string): Promise<{ status: number; text: string }>
}

const TIMEOUT_MS = 30_000

/** @throws {CommandError} when the URL cannot be used */
export function openConnection({ url: given, token: givenToken, code, envFile }: ConnectionOptions): Connection {
  const url = serverUrl(given)
  let signingIn: Promise<string> | undefined

  async function send(method: string, path: string, token: string | undefined, body: unknown): Promise<Response> {
    const headers = new Headers({ accept: 'application/json' })
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    if (body !== undefined) headers.set('content-type', 'application/json')
    const init = { method, headers, signal: AbortSignal.timeout(TIMEOUT_MS) }
    try {
      return await fetch(`${url}${path}`, body === undefined ? init : { ...init, body: JSON.stringify(body) })
    } catch (error) {
      throw new CommandError(
        `no answer from ${url} (${reasonOf(error)}); is the server running there? --url names another`,
        {
          cause: error,
        },
      )
    }
  }

  async function call(endpoint: Endpoint, input: Input<z.ZodType>): Promise<string> {
    const token = endpoint.access === 'anyone' ? undefined : await tokenForCalls()
    const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input.params?.[name])))
    const query = input.query === undefined ? '' : `?${new URLSearchParams(input.query).toString()}`
    const response = await send(endpoint.method, path + query, token, input.body)
    const text = await response.text()
    if (response.ok) return text
    const retryAfter = response.headers.get('retry-after')
    throw new CommandError(adviceOf({ status: response.status, retryAfter, text }))
  }

  function tokenForCalls(): Promise<string> {
    signingIn ??= givenToken === undefined ? signIn() : Promise.resolve(givenToken)
    return signingIn
  }

  async function signIn(): Promise<string> {
    const { email, password } = commandDefaults(envFile)
    if (email === undefined || email === '' || password === undefined || password === '') {
      throw new CommandError(
        'no credentials; set PRINTWARDEN_ADMIN_EMAIL and PRINTWARDEN_ADMIN_PASSWORD, or give --token',
      )
    }
    const answer = await ask(endpoints.adminSignIn, {
      body: { email, password, ...(code === undefined ? {} : { code }) },
    })
    return answer.access_token
  }

  async function ask<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
    endpoint: Endpoint<P, Q, B, O>,
    input: Input<B> = {},
  ): Promise<z.output<O>> {
    if (endpoint.output === undefined) throw new Error(`${endpoint.id} answers nothing`)
    const result = endpoint.output.safeParse(JSON.parse(await call(endpoint, input)))
    if (result.success) return result.data
    throw new CommandError(`the answer of ${url} is not understood; are server and command of the same version?`)
  }

  return {
    url,
    ask,
    async tell(endpoint, input = {}) {
      await call(endpoint, input)
    },
    async probe(path) {
      const response = await send('GET', path, undefined, undefined)
      return { status: response.status, text: await response.text() }
    },
  }
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
