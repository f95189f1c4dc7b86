import { askedDelayMs, retryDelayMs } from './backoff.js'
import { ApiError, NetworkError } from './errors.js'
import { addressOf, isRefusal, type LiveDeps, verdictOn } from './live-access.js'
import { type LiveMessage, type LiveTimelapse, mergeLive, readLiveMessage } from './live-messages.js'
import type { LiveSocket, SocketEnd } from './live-socket.js'
import { liveWaiters } from './live-waiters.js'
import type { Command, Printer, PrinterEvent } from './resources.js'

const PROTOCOL = 'live.v1'
/** After this long without a word the server is asked for one; a dead connection shows in no other way in a browser. */
const SILENCE_MS = 45_000
const ANSWER_MS = 10_000
const CONNECT_MS = 20_000

/**
 * How the subscription stands.
 *
 * - `connecting`: on the way to the server; what is shown is not up to date
 * - `live`: what is shown is what the server knows
 * - `waiting`: the connection was lost; the next try is in `retryInMs` milliseconds
 * - `closed`: over. With an `error` the server refused: the token or session is not, or no longer, good for it
 */
export type LiveStatus =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  | { readonly state: 'waiting'; readonly retryInMs: number; readonly error: Error }
  | { readonly state: 'closed'; readonly error?: ApiError }

/** What to follow, and whom to tell. */
export interface LiveOptions {
  /** All printers of the user, also those added later; or the ones with these ids. */
  printers: 'all' | readonly number[]
  /** The full state: first, and again whenever the server cannot tell what was missed. */
  onState?: (printers: readonly Printer[]) => void
  /** One printer changed: the printer as it is now, and only the fields that changed. */
  onChange?: (printer: Printer, changes: Partial<Printer>) => void
  /** A printer was deleted or archived. */
  onRemoved?: (id: number) => void
  /** A command made a step. */
  onCommand?: (command: Command) => void
  /** Something for a printer's history; an alert is one of type `FAILURE_ALERTED`. */
  onEvent?: (event: PrinterEvent) => void
  /** The time-lapse of a print is a step further. */
  onTimelapse?: (news: LiveTimelapse) => void
  /** The connection changed. */
  onStatus?: (status: LiveStatus) => void
  /** Ends the subscription, like {@link LiveSubscription.close}. */
  signal?: AbortSignal
  /** How long to wait before try number `attempt` (from 1), in milliseconds; longer when the server asks for it. Default: half a second doubling to half a minute, with jitter. */
  retryDelayMs?: (attempt: number) => number
}

/** A running subscription. It reconnects by itself until it is closed or refused. */
export interface LiveSubscription {
  /** The printers as last told, by id. Replaced, never changed in place. Out of date unless the status is `live`. */
  readonly printers: ReadonlyMap<number, Printer>
  readonly status: LiveStatus
  /**
   * Waits for something to become true of the printers, looking after each message, and resolves to what `find` found.
   *
   * @param find returns undefined, null or false while it has not found what it looks for
   * @throws the signal's reason when `signal` aborts first; {@link ApiError} when the server refuses the subscription;
   *   {@link NetworkError} when the subscription is closed
   */
  waitFor<Found>(
    find: (printers: ReadonlyMap<number, Printer>) => Found,
    options?: { signal?: AbortSignal },
  ): Promise<Exclude<Found, undefined | null | false>>
  /** Ends the subscription. No callback is called after this, save the last `onStatus`. */
  close(): void
}

/** Opens a subscription; see {@link LiveOptions}. */
export function openLive(deps: LiveDeps, options: LiveOptions): LiveSubscription {
  const nextDelay = options.retryDelayMs ?? ((attempt) => retryDelayMs(attempt, Math.random()))
  const waiters = liveWaiters()
  let printers: ReadonlyMap<number, Printer> = new Map()
  let status: LiveStatus = { state: 'connecting' }
  let cursor: string | undefined
  let socket: LiveSocket | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  /** The server asked to be left alone until then. */
  let notBeforeMs = 0
  const isClosed = () => status.state === 'closed'

  function setStatus(next: LiveStatus): void {
    status = next
    options.onStatus?.(next)
  }

  function after(delayMs: number, run: () => void): void {
    clearTimeout(timer)
    timer = setTimeout(run, delayMs)
  }

  async function connect(): Promise<void> {
    clearTimeout(timer)
    if (isClosed()) return
    if (status.state !== 'connecting') setStatus({ state: 'connecting' })
    try {
      const { url, headers } = await addressOf(deps)
      if (isClosed()) return
      after(CONNECT_MS, giveUp)
      socket = open(url, headers)
    } catch (error) {
      lost(error instanceof Error ? error : new NetworkError('no connection', { cause: error }))
    }
  }

  function open(url: string, headers: Record<string, string>): LiveSocket {
    let wasOpen = false
    return deps.platform.openSocket(url, PROTOCOL, headers, {
      onOpen() {
        wasOpen = true
        subscribe()
        after(ANSWER_MS, giveUp)
      },
      onText: (text) => {
        keepWatch()
        const message = readLiveMessage(text)
        if (message !== undefined) receive(message)
      },
      onAlive: keepWatch,
      onEnd: (end) => void ended(end, wasOpen),
    })
  }

  function subscribe(): void {
    socket?.send(
      JSON.stringify({ subscribe: { printers: options.printers }, ...(cursor === undefined ? {} : { since: cursor }) }),
    )
  }

  /** Asks for a word when none has come for a while, and gives the connection up when none comes then. */
  function keepWatch(): void {
    after(SILENCE_MS, () => {
      subscribe()
      after(ANSWER_MS, giveUp)
    })
  }

  function giveUp(): void {
    socket?.drop()
    lost(new NetworkError('the server fell silent'))
  }

  function receive(message: LiveMessage): void {
    if ('error' in message) return finish(errorOf(message.error))
    const merged = mergeLive(printers, message)
    if (merged === undefined) {
      cursor = undefined
      subscribe()
      return
    }
    printers = merged
    cursor = cursorOf(message) ?? cursor
    failures = 0
    if (status.state !== 'live') setStatus({ state: 'live' })
    if (isClosed()) return
    tell(message, printers, options)
    waiters.look(printers)
  }

  async function ended(end: SocketEnd, wasOpen: boolean): Promise<void> {
    clearTimeout(timer)
    socket = undefined
    const { refusal, retryAfterSeconds } = await verdictOn(end, wasOpen, deps)
    if (isClosed()) return
    if (refusal === undefined) lost(new NetworkError(`the live connection ended (${end.code})`), retryAfterSeconds)
    else finish(refusal)
  }

  function lost(error: Error, askedSeconds = error instanceof ApiError ? error.retryAfterSeconds : undefined): void {
    if (isClosed()) return
    if (isRefusal(error)) return finish(error)
    failures += 1
    const askedMs = askedDelayMs(askedSeconds, Math.random())
    notBeforeMs = Date.now() + askedMs
    const retryInMs = Math.max(nextDelay(failures), askedMs)
    setStatus({ state: 'waiting', retryInMs, error })
    after(retryInMs, () => void connect())
  }

  function finish(error?: ApiError): void {
    if (isClosed()) return
    clearTimeout(timer)
    stopWaking()
    options.signal?.removeEventListener('abort', close)
    socket?.drop()
    setStatus(error === undefined ? { state: 'closed' } : { state: 'closed', error })
    waiters.fail(error ?? new NetworkError('the subscription was closed'))
  }

  const close = () => finish()
  const stopWaking = deps.platform.onWake(() => {
    if (status.state === 'waiting' && Date.now() >= notBeforeMs) void connect()
  })
  options.signal?.addEventListener('abort', close)
  if (options.signal?.aborted === true) finish()
  else void connect()

  return {
    get printers() {
      return printers
    },
    get status() {
      return status
    },
    waitFor: (find, { signal } = {}) => waiters.add(find, printers, signal),
    close,
  }
}

/** The server did not understand what was asked, so asking again is of no use. */
function errorOf({ code, detail }: { readonly code: string; readonly detail: string }): ApiError {
  return new ApiError({ status: 400, code, title: 'The live subscription was not understood', detail })
}

function cursorOf(message: LiveMessage): string | undefined {
  if ('state' in message) return message.state.cursor
  if ('printer' in message) return message.printer.cursor
  return 'removed' in message ? message.removed.cursor : undefined
}

function tell(message: LiveMessage, printers: ReadonlyMap<number, Printer>, options: LiveOptions): void {
  if ('state' in message) options.onState?.([...printers.values()])
  else if ('printer' in message) tellChange(message.printer, printers, options)
  else if ('removed' in message) options.onRemoved?.(message.removed.id)
  else if ('command' in message) options.onCommand?.(message.command)
  else if ('event' in message) options.onEvent?.(message.event)
  else if ('timelapse' in message) options.onTimelapse?.(message.timelapse)
}

function tellChange(
  change: { readonly id: number; readonly changes: Partial<Printer> },
  printers: ReadonlyMap<number, Printer>,
  options: LiveOptions,
): void {
  const printer = printers.get(change.id)
  // A change of nothing is how the server says that nothing was missed.
  if (printer !== undefined && Object.keys(change.changes).length > 0) options.onChange?.(printer, change.changes)
}
