import {
  AGENT_SOCKET_PATH,
  AGENT_SUBPROTOCOL,
  CLOSE_CODES,
  MAX_MESSAGE_BYTES,
  type CommandAck,
  type StatusMessage,
} from '@printwarden/protocol'
import { WebSocket } from 'ws'
import { askedDelayMs, backoffMs, restartDelayMs, SERVER_BACKOFF } from '../time/backoff.js'
import type { Clock } from '../time/clock.js'
import { reasonOf } from './connection-reason.js'
import { frameText } from './frame-text.js'
import { Transit } from './transit.js'

/** Why the server no longer wants this agent. Trying again would not help. */
export type Refusal = 'unauthorized' | 'replaced'

export interface UplinkListener {
  /** The connection stands; a new `seq` begins. */
  onOpen(): void
  onMessage(text: string): void
  /** The connection is lost or could not be made. */
  onDown(why: string, retryInMs: number): void
  /** The connection is given up for good. */
  onRefused(refusal: Refusal): void
}

export interface UplinkOptions {
  readonly serverUrl: string
  readonly authToken: string
  readonly clock: Clock
  readonly listener: UplinkListener
  /** From 0 up to, not including, 1. */
  readonly random: () => number
}

/** The websocket to the server: connects, stays connected, counts messages. */
export interface Uplink {
  readonly isOpen: boolean
  /** Whether what was sent has left; while it has not, only what matters should be added. */
  readonly isClear: boolean
  /** Sends a status message under the next `seq`. Without a connection it is dropped: the caller keeps what must arrive. */
  sendStatus(message: StatusMessage): void
  sendAck(ack: CommandAck): void
  /** How late a message is that left at `sentMs` by the server's monotonic clock and has just come, in milliseconds. */
  lateMs(sentMs: number): number
  close(): Promise<void>
}

const HANDSHAKE_TIMEOUT_MS = 15_000
/** The server pings every 20 s; an agent that hears nothing asks, and gives up after another round. */
const PING_MS = 20_000
const CLOSE_TIMEOUT_MS = 2_000
const CLEAR_BYTES = 64 * 1024
/** A connection that lasted this long was a good one: the next failure starts the backoff anew. */
const STEADY_MS = 30_000

export function openUplink(options: UplinkOptions): Uplink {
  return new ServerUplink(options)
}

class ServerUplink implements Uplink {
  private socket: WebSocket | undefined
  private attempt = 0
  private seq = 0
  private isClosed = false
  private isHeard = false
  private readonly transit = new Transit()
  private openedMs = 0
  private cancelRetry: () => void = () => undefined
  private readonly stopPings: () => void

  constructor(private readonly options: UplinkOptions) {
    this.stopPings = options.clock.every(PING_MS, () => this.checkSilence())
    this.connect()
  }

  get isOpen(): boolean {
    return this.socket?.readyState === WebSocket.OPEN
  }

  get isClear(): boolean {
    return this.isOpen && (this.socket?.bufferedAmount ?? 0) < CLEAR_BYTES
  }

  sendStatus(message: StatusMessage): void {
    if (!this.isOpen) return
    this.seq += 1
    this.socket?.send(JSON.stringify({ ...message, seq: this.seq }))
  }

  sendAck(ack: CommandAck): void {
    if (this.isOpen) this.socket?.send(JSON.stringify(ack))
  }

  lateMs(sentMs: number): number {
    return this.transit.arrived(sentMs, this.options.clock.monotonicMs())
  }

  close(): Promise<void> {
    this.stop()
    const { socket } = this
    if (!socket || socket.readyState === WebSocket.CLOSED) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.options.clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate())
      socket.once('close', () => {
        cancel()
        resolve()
      })
      if (socket.readyState === WebSocket.CONNECTING) socket.terminate()
      else socket.close(1000)
    })
  }

  private stop(): void {
    this.isClosed = true
    this.stopPings()
    this.cancelRetry()
  }

  private connect(): void {
    const { serverUrl, authToken } = this.options
    const socket = new WebSocket(`${serverUrl.replace(/^http/, 'ws')}${AGENT_SOCKET_PATH}`, AGENT_SUBPROTOCOL, {
      headers: { authorization: `Bearer ${authToken}` },
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      // Status messages are small, and compressing costs more CPU than it saves bytes.
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
    })
    this.socket = socket
    this.isHeard = true
    let why = 'closed'

    const heard = () => {
      this.isHeard = true
    }
    socket.on('ping', (payload: Buffer) => {
      heard()
      const sent = payload.toString('latin1')
      if (/^\d{1,15}$/.test(sent)) this.lateMs(Number(sent))
    })
    socket.on('pong', heard)
    socket.on('open', () => this.opened())
    socket.on('message', (data, isBinary) => {
      heard()
      if (!isBinary && !this.isClosed) this.options.listener.onMessage(frameText(data))
    })
    socket.on('unexpected-response', (request, response) => {
      const status = response.statusCode ?? 0
      why = `it answered ${status}${status >= 300 && status < 400 ? ` to ${response.headers.location}` : ''}`
      request.destroy()
      response.destroy()
      if (status === 401) this.refuse('unauthorized')
      else this.lost(socket, why, askedDelayMs(response.headers['retry-after'], this.options.random()))
    })
    socket.on('error', (error) => {
      why = reasonOf(error)
    })
    socket.on('close', (code) => this.closed(socket, code, why))
  }

  private opened(): void {
    this.seq = 0
    this.transit.reset()
    this.openedMs = this.options.clock.monotonicMs()
    this.options.listener.onOpen()
  }

  private closed(socket: WebSocket, code: number, why: string): void {
    if (code === CLOSE_CODES.replaced) return this.refuse('replaced')
    if (code === CLOSE_CODES.unauthorized) return this.refuse('unauthorized')
    if (code === CLOSE_CODES.restart) return this.lost(socket, 'it restarts', restartDelayMs(this.options.random()))
    this.lost(socket, why === 'closed' ? `it closed the connection with ${code}` : why)
  }

  private refuse(refusal: Refusal): void {
    if (this.isClosed) return
    this.stop()
    this.options.listener.onRefused(refusal)
  }

  /** `askedMs`: how long the server wants it to wait. Who does as asked has not failed once more. */
  private lost(socket: WebSocket, why: string, askedMs?: number): void {
    if (this.isClosed || socket !== this.socket) return
    this.socket = undefined
    const { clock, random, listener } = this.options
    const wasSteady = this.openedMs > 0 && clock.monotonicMs() - this.openedMs >= STEADY_MS
    if (wasSteady) this.attempt = 0
    if (askedMs === undefined) this.attempt += 1
    this.openedMs = 0
    const retryInMs = askedMs ?? backoffMs(this.attempt, random(), SERVER_BACKOFF)
    this.cancelRetry = clock.after(retryInMs, () => this.connect())
    listener.onDown(why, retryInMs)
  }

  private checkSilence(): void {
    const { socket } = this
    if (!socket || socket.readyState !== WebSocket.OPEN) return
    if (!this.isHeard) {
      socket.terminate()
      return this.lost(socket, 'it went silent')
    }
    this.isHeard = false
    socket.ping()
  }
}
