import { ApiError } from './errors.js'
import type { LivePlatform, SocketEnd } from './live-socket.js'

const PATH = '/ws/live/'
const UNAUTHORIZED = 4401

/** What a subscription needs of its client. */
export interface LiveDeps {
  readonly baseUrl: string
  readonly platform: LivePlatform
  readonly token: () => Promise<string | undefined>
  /** Whether `token` gives another one once the present one is over. */
  readonly canRenew?: boolean
  readonly createTicket: () => Promise<string>
  /** Rejects with an {@link ApiError} when the client is not let in at all. */
  readonly checkAccess: () => Promise<unknown>
}

/** Where to connect now, and with which headers: a header in Node, a ticket in a browser with a token, else the page's cookie. */
export async function addressOf(deps: LiveDeps): Promise<{ url: string; headers: Record<string, string> }> {
  const url = new URL(deps.baseUrl + PATH)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  const token = await deps.token()
  if (token === undefined) return { url: url.href, headers: {} }
  if (deps.platform.canSendHeaders) return { url: url.href, headers: { authorization: `Bearer ${token}` } }
  url.searchParams.set('ticket', await deps.createTicket())
  return { url: url.href, headers: {} }
}

/** Whether an error means that trying again with the same credential is of no use. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 401 || error.status === 403)
}

/** What the end of a socket says about the next try. */
export interface Verdict {
  /** Why the server does not let this client in; undefined when it may well do so next time. */
  readonly refusal?: ApiError
  /** How long the server asks to wait before it, in seconds. */
  readonly retryAfterSeconds?: number | undefined
}

/** Finds out why a socket ended. */
export async function verdictOn(end: SocketEnd, wasOpen: boolean, deps: LiveDeps): Promise<Verdict> {
  let { retryAfterSeconds } = end
  const isRefused = end.code === UNAUTHORIZED || end.httpStatus === 401 || end.httpStatus === 403
  // A browser does not say why a websocket could not be opened, so another call has to find out.
  const isUnknown = !wasOpen && end.httpStatus === undefined
  if (!isRefused && !isUnknown) return { retryAfterSeconds }
  try {
    await deps.checkAccess()
  } catch (error) {
    if (isRefusal(error)) return { refusal: error }
    if (error instanceof ApiError) retryAfterSeconds ??= error.retryAfterSeconds
  }
  // With a token that has expired a socket ends although the next one is welcome.
  if (!isRefused || deps.canRenew === true) return { retryAfterSeconds }
  const refusal = new ApiError({
    status: end.httpStatus ?? 401,
    code: end.httpStatus === 403 ? 'insufficient_scope' : 'unauthorized',
    title: 'The live connection was refused',
    detail: end.reason || 'The server does not let this client follow its printers.',
  })
  return { refusal }
}
