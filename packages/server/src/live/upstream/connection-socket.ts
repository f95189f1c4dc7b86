import { CLOSE_CODES } from '@printwarden/protocol'
import type { WebSocket } from 'ws'
import { type Bucket, type Rate, take } from '../../limits/token-bucket.js'
import type { Refusals } from '../../limits/refusals.js'
import type { Clock, Log } from '../../ports.js'
import type { LiveSink } from '../subscriber-flow.js'
import type { Seat } from './seat.js'

/** How long the other side may take to answer a close before the connection is cut. */
const CLOSE_TIMEOUT_MS = 1000

/** What is talked over a socket. */
export interface Talk {
  receive(bytes: Buffer, isBinary: boolean): void
  /** Called at each ping. */
  tick(): void
  close(): void
}

/** A socket as what is talked over it sees it. */
export interface TalkSink extends LiveSink {
  close(code: number, reason: string): void
}

export interface ConnectionDeps {
  readonly clock: Clock
  readonly log: Log
  readonly refusals: Refusals
  /** How many messages the other side may send. */
  readonly rate: Rate
}

/** One existing client's open socket. */
export class SeatConnection {
  readonly seat: Seat
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>
  readonly #socket: WebSocket
  readonly #deps: ConnectionDeps
  readonly #talk: Talk
  #bucket: Bucket | undefined
  #isHeard = true

  constructor(socket: WebSocket, seat: Seat, deps: ConnectionDeps, begin: (sink: TalkSink) => Talk) {
    this.seat = seat
    this.#socket = socket
    this.#deps = deps
    this.#talk = begin({
      send: (text) => this.#send(text),
      buffered: () => socket.bufferedAmount,
      giveUp: () => socket.terminate(),
      close: (code, reason) => this.close(code, reason),
    })
    socket.on('message', (bytes: Buffer, isBinary) => this.#receive(bytes, isBinary))
    socket.on('pong', () => {
      this.#isHeard = true
    })
    socket.on('error', (err) => deps.log.debug({ err, printer_id: seat.printer_id }, 'the socket of a viewer broke'))
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#talk.close()
        resolve()
      })
    })
  }

  close(code: number, reason: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#talk.close()
    this.#socket.close(code, reason)
    setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT_MS).unref()
  }

  /** To be called at each ping interval: who was silent since the last one is gone. */
  tick(): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    if (!this.#isHeard) return this.close(CLOSE_CODES.silent, 'no sign of life')
    this.#isHeard = false
    this.#talk.tick()
    this.#socket.ping()
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#isHeard = true
    const { bucket, waitMs } = take(this.#bucket, this.#deps.rate, 1, this.#deps.clock.now())
    this.#bucket = bucket
    if (waitMs > 0) {
      this.#deps.refusals.note('viewer_messages', `printer ${this.seat.printer_id}`)
      return this.close(CLOSE_CODES.tooManyMessages, 'too many messages')
    }
    this.#talk.receive(bytes, isBinary)
  }

  #send(text: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text)
  }
}
