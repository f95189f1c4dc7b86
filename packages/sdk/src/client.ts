import { livePlatform } from '#live-platform'
import { type LiveOptions, type LiveSubscription, openLive } from './live.js'
import { type Methods, OPERATIONS } from './methods.js'
import { type CallOptions, callOperation, type Operation, type Transport } from './operation.js'

const TIMEOUT_MS = 30_000

/** Where the server is, and as whom to call it. */
export interface ClientOptions {
  /** The server's address, such as `http://192.168.1.20:3334`; in a page of the server itself it may be left out. */
  baseUrl?: string
  /**
   * An access token (or, for the agent's methods, a printer's `auth_token`), or a function that gives the present one before each
   * call. Without it the page's session cookie counts, which works only in pages of the server itself.
   */
  token?: string | (() => string | Promise<string>)
  /** Used instead of the platform's `fetch`. */
  fetch?: (request: Request) => Promise<Response>
  /** Longest wait for an answer, in milliseconds. Default 30 000; 0 means no limit. */
  timeoutMs?: number
}

/** A client of one server: a method for each endpoint, and `live`. */
export interface Client extends Methods {
  /** Where the server is, without a slash at the end. */
  readonly baseUrl: string
  /**
   * Follows printers over a websocket: the full state first, then changes, commands and events. Reconnects by itself, and then
   * catches up from where it was. Returns at once; needs the scope `read` (in a browser with a token also `write`, for the ticket).
   *
   * @example
   * const live = client.live({ printers: 'all', onEvent: (event) => console.log(event.event_title) })
   * await live.waitFor((printers) => printers.get(1)?.status?.state.text === 'Paused')
   * live.close()
   */
  live(options: LiveOptions): LiveSubscription
}

/**
 * A client of a Printwarden server, in Node or in a browser.
 *
 * Each method takes one object with everything the endpoint needs, whether it travels in path, query or body, and then
 * {@link CallOptions}. It resolves to the answer's body and rejects with an `ApiError` when the server said no, with a
 * `NetworkError` when no answer came, and with the signal's reason when the call was given up.
 *
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3334', token: process.env.PRINTWARDEN_TOKEN })
 * for (const printer of await client.listPrinters()) console.log(printer.name, printer.normalized_p)
 * await client.updatePrinter({ id: 1, detective_sensitivity: 1.2 })
 *
 * @throws {TypeError} when `baseUrl` is no address, or is left out where there is no page to take it from
 */
export function createClient(options: ClientOptions = {}): Client {
  const transport = transportOf(options)
  const methods = methodsOf(transport)
  return {
    ...methods,
    baseUrl: transport.baseUrl,
    live: (liveOptions) =>
      openLive(
        {
          baseUrl: transport.baseUrl,
          platform: livePlatform,
          token: transport.token,
          createTicket: async () => (await methods.createLiveTicket()).ticket,
          checkAccess: () => methods.getMe(),
        },
        liveOptions,
      ),
  }
}

function transportOf({ baseUrl, token, fetch, timeoutMs }: ClientOptions): Transport {
  return {
    baseUrl: addressOf(baseUrl),
    // Looked up at each call, so that a page or a test may replace it.
    fetch: fetch ?? ((request) => globalThis.fetch(request)),
    token: async () => (typeof token === 'function' ? token() : token),
    timeoutMs: timeoutMs ?? TIMEOUT_MS,
  }
}

function addressOf(baseUrl: string | undefined): string {
  const given = baseUrl ?? globalThis.location?.origin
  if (given === undefined) throw new TypeError('baseUrl is needed outside of a page')
  const url = new URL(given)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError('baseUrl must begin with http:// or https://')
  return (url.origin + url.pathname).replace(/\/+$/, '')
}

function methodsOf(transport: Transport): Methods {
  const entries = Object.entries(OPERATIONS).map(([id, operation]) => [id, methodOf(transport, operation)])
  // Each method's types are checked where `Methods` and the table are generated, both from the same endpoint.
  return Object.fromEntries(entries) as Methods
}

function methodOf(transport: Transport, operation: Operation): (...given: readonly object[]) => Promise<unknown> {
  return operation.takesInput
    ? (input = {}, options: CallOptions = {}) => callOperation(transport, operation, { ...input }, options)
    : (options: CallOptions = {}) => callOperation(transport, operation, {}, options)
}
