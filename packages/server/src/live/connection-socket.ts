import { CLOSE_CODES, type LiveMessage } from '@printwarden/protocol'
import type { WebSocket } from 'ws'
import { type Bucket, type Rate, take } from '../limits/token-bucket.js'
import type { Caller } from '../http/api.js'
import type { Refusals } from '../limits/refusals.js'
import type { Clock, Log } from '../ports.js'
import { readFrame } from './request.js'
import type { LiveSink, Subscriber } from './subscriber-flow.js'

/** A subscriber asks when it connects and when what it shows changes. */
export const REQUESTS: Rate = { perSecond: 5, burst: 100 }

/** How long the other side may take to answer a close before the connection is cut. */
const CLOSE_TIMEOUT_MS = 1000

/** The standard code for "something went wrong on our side": the subscriber comes back. */
const INTERNAL_ERROR = 1011

export interface LiveConnectionDeps {
  readonly clock: Clock
  readonly log: Log
  readonly refusals: Refusals
}

/** One subscriber's open socket. */
export class LiveConnection {
  readonly caller: Caller
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>
  readonly #socket: WebSocket
  readonly #deps: LiveConnectionDeps
  readonly #subscriber: Subscriber
  #bucket: Bucket | undefined
  #isHeard = true

  constructor(socket: WebSocket, caller: Caller, deps: LiveConnectionDeps, subscribe: (sink: LiveSink) => Subscriber) {
    this.caller = caller
    this.#socket = socket
    this.#deps = deps
    this.#subscriber = subscribe({
      send: (text) => this.#send(text),
      buffered: () => socket.bufferedAmount,
      giveUp: () => socket.terminate(),
    })
    socket.on('message', (bytes: Buffer, isBinary) => this.#receive(bytes, isBinary))
    socket.on('pong', () => {
      this.#isHeard = true
    })
    socket.on('error', (err) => deps.log.debug({ err, user_id: caller.user_id }, 'live socket broke'))
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#subscriber.close()
        resolve()
      })
    })
  }

  close(code: number, reason: string): void {
    this.#subscriber.close()
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#socket.close(code, reason)
    setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT_MS).unref()
  }

  /** To be called at each ping interval: who was silent since the last one is gone. */
  tick(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    if (!this.#isHeard) return this.close(CLOSE_CODES.silent, 'no sign of life')
    this.#isHeard = false
    this.#socket.ping()
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    this.#isHeard = true
    const { bucket, waitMs } = take(this.#bucket, REQUESTS, 1, this.#deps.clock.now())
    this.#bucket = bucket
    if (waitMs > 0) {
      this.#deps.refusals.note('live_requests', `user ${this.caller.user_id}`)
      return this.close(CLOSE_CODES.tooManyMessages, 'too many messages')
    }
    const frame = readFrame(bytes, isBinary)
    if (frame.type === 'close') return this.close(frame.code, frame.reason)
    if (frame.type === 'refused') return this.#refuse(frame.error)
    this.#subscriber.request(frame.request).catch((err: unknown) => this.#fail(err))
  }

  #refuse(error: { code: string; detail: string }): void {
    const message: LiveMessage = { error }
    this.#send(JSON.stringify(message))
  }

  #fail(err: unknown): void {
    this.#deps.log.error({ err, user_id: this.caller.user_id }, 'a live subscription could not be opened')
    this.close(INTERNAL_ERROR, 'try again')
  }

  #send(text: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text)
  }
}
