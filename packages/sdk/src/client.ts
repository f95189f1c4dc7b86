import { livePlatform } from '#live-platform'
import {
  answerEvents,
  type AssistantEvent,
  type PostMortemEvent,
  readAssistantEvent,
  readPostMortemEvent,
} from './answer-stream.js'
import { type CommandNews, commandNews, type WaitOptions, type WaitTarget, waitForCommand } from './command-waiter.js'
import { type Download, type DownloadOptions, openDownload } from './download.js'
import { type LiveOptions, type LiveSubscription, openLive } from './live.js'
import type { LivePlatform } from './live-socket.js'
import { ITERATORS, type Iterators, type Methods, OPERATIONS } from './methods.js'
import {
  type CallOptions,
  callOperation,
  type Input,
  type Operation,
  type Transport,
  type UploadOptions,
} from './operation.js'
import { allItems } from './paging.js'
import type { Command } from './resources.js'
import type { RetryOptions } from './retry.js'
import type { TokenSource } from './token-source.js'

const TIMEOUT_MS = 30_000

/** Where the server is, and as whom to call it. */
export interface ClientOptions {
  /** The server's address, such as `http://192.168.1.20:3334`; in a page of the server itself it may be left out. */
  baseUrl?: string
  /**
   * An access token (or, for the agent's methods, a printer's `auth_token`), or a function that gives the present one before each
   * call, or a source that gets a new one when the server does not take it any more, such as what `createOAuth` of
   * `@printwarden/sdk/oauth` makes. Without it the page's session cookie counts, which works only in pages of the server itself.
   */
  token?: string | (() => string | Promise<string>) | TokenSource
  /** Used instead of the platform's `fetch`. */
  fetch?: (request: Request) => Promise<Response>
  /** Longest wait for an answer, in milliseconds. Default 30 000; 0 means no limit. */
  timeoutMs?: number
  /**
   * When a call is tried again by itself: after a refusal for being too many (429), when the server cannot just now (503), and, for
   * reading alone, when no answer came. Waits as long as `Retry-After` says, else longer each time, with jitter. `false` means never.
   */
  retry?: RetryOptions | false
}

/** A client of one server: a method for each endpoint, an iterator for each list that comes in pages, and what goes beyond one call. */
export interface Client extends Methods, Iterators {
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
  /**
   * Waits until a command is done. Hears of it through a live subscription of this client, if one follows the printer, and asks the
   * server otherwise, ever less often.
   *
   * @param command the answer to an action, or a command
   * @returns the command, whose status is `done`
   * @throws {CommandError} when the command was not sent, failed, or timed out
   * @throws {NetworkError} when it was not over within `timeoutMs`
   *
   * @example
   * await client.waitFor(await client.pausePrint({ id: 3 }))
   */
  waitFor(command: WaitTarget, options?: WaitOptions): Promise<Command>
  /**
   * Fetches a file, such as a print's `video_url` or a G-code file's `url`, as a stream. A connection that breaks is made again and
   * goes on where it broke. Only addresses of this server's API get the token; those of files are signed and need none.
   *
   * @param url absolute, or below the server's address
   * @throws {ApiError} when the server said no, as with an address that has expired: ask for the resource again
   * @throws {NetworkError} when no answer came; while the stream is read, when the connection could not be made again
   *
   * @example
   * const { stream, size } = await client.download(print.video_url)
   * await pipeline(Readable.fromWeb(stream), createWriteStream('print.mp4'))
   */
  download(url: string, options?: DownloadOptions): Promise<Download>
  /**
   * Asks the assistant, and gives the answer as it is made: `delta` with more of its text, `look` for what it looks at of the user's,
   * and at the end `message` with the whole, which counts. Asks when the first event is asked for; who leaves the loop, or aborts the
   * `signal`, hangs up. `timeoutMs` is the longest time in which nothing comes.
   *
   * @throws {ApiError} when the server said no, at once or in the middle: `credits_exhausted`, `assistant_not_configured`, …
   * @throws {NetworkError} when no answer came, or not all of it
   *
   * @example
   * const messages = [{ role: 'user' as const, content: 'Why do corners lift?' }]
   * for await (const event of client.askAssistant({ messages, lang: 'en' })) {
   *   if (event.type === 'delta') process.stdout.write(event.text)
   * }
   */
  askAssistant(input: Input<'sendChatMessage'>, options?: CallOptions): AsyncGenerator<AssistantEvent, void, undefined>
  /**
   * Asks the assistant why a print failed, as `createPostMortem` does, and gives `look` for what is read of the print, and at the end
   * `message` with the `postMortem`. Ends and fails as {@link Client.askAssistant} does.
   */
  askPostMortem(
    input: Input<'createPostMortem'>,
    options?: CallOptions,
  ): AsyncGenerator<PostMortemEvent, void, undefined>
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
  return createClientOn(livePlatform, options)
}

/** A client whose live sockets come from this platform. */
export function createClientOn(platform: LivePlatform, options: ClientOptions): Client {
  const transport = transportOf(options)
  const methods = methodsOf(transport)
  const news = commandNews()
  const deps = {
    baseUrl: transport.baseUrl,
    platform,
    token: transport.token,
    canRenew: transport.renew !== undefined,
    createTicket: async () => (await methods.createLiveTicket()).ticket,
    checkAccess: () => methods.getMe(),
  }
  return {
    ...methods,
    ...iteratorsOf(methods),
    baseUrl: transport.baseUrl,
    live: (liveOptions) => openLive(deps, withNews(news, liveOptions)),
    waitFor: (command, waitOptions) =>
      waitForCommand(command, (input, signal) => methods.getCommand(input, { signal }), news, waitOptions),
    download: (url, downloadOptions = {}) => openDownload(transport, url, downloadOptions),
    askAssistant: (input, callOptions) =>
      answerEvents(transport, OPERATIONS.sendChatMessage, readAssistantEvent, { ...input }, callOptions),
    askPostMortem: (input, callOptions) =>
      answerEvents(transport, OPERATIONS.createPostMortem, readPostMortemEvent, { ...input }, callOptions),
  }
}

/** Lets those who wait for a command hear what a subscription hears. */
function withNews(news: CommandNews, options: LiveOptions): LiveOptions {
  const key = {}
  return {
    ...options,
    onCommand: (command) => {
      news.tell(command)
      options.onCommand?.(command)
    },
    onStatus: (status) => {
      news.follow(key, status.state === 'live' ? options.printers : undefined)
      options.onStatus?.(status)
    },
  }
}

function transportOf({ baseUrl, token, fetch, timeoutMs, retry }: ClientOptions): Transport {
  return {
    baseUrl: addressOf(baseUrl),
    fetch,
    token: async () => (typeof token === 'object' ? token.token() : typeof token === 'function' ? token() : token),
    renew: typeof token === 'object' ? (ended) => token.renew(ended) : undefined,
    timeoutMs: timeoutMs ?? TIMEOUT_MS,
    retry,
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

function iteratorsOf(methods: Methods): Iterators {
  const entries = Object.entries(ITERATORS).map(([name, { list, by }]) => {
    // As with the methods: the types are checked where the interface and the table are generated.
    const ask = methods[list] as Parameters<typeof allItems>[0]
    return [name, (input = {}, options: CallOptions = {}) => allItems(ask, by, { ...input }, options)]
  })
  return Object.fromEntries(entries) as Iterators
}

function methodOf(transport: Transport, operation: Operation): (...given: readonly object[]) => Promise<unknown> {
  return operation.takesInput
    ? (input = {}, options: UploadOptions = {}) => callOperation(transport, operation, { ...input }, options)
    : (options: CallOptions = {}) => callOperation(transport, operation, {}, options)
}
