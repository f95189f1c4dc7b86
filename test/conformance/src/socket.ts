import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { show } from './expect.js'

/** How long the other side may take to answer our close. */
const CLOSE_TIMEOUT_MS = 1000

export interface SocketOptions {
  readonly signal: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  readonly protocols?: readonly string[]
}

/** How a socket was closed. */
export interface Closing {
  readonly code: number
  readonly reason: string
}

/** The server answered the upgrade with an ordinary status. */
export class UpgradeRefused extends Error {
  override readonly name = 'UpgradeRefused'
  constructor(
    url: string,
    readonly status: number,
  ) {
    super(`the websocket ${url} was refused with ${status}`)
  }
}

/** A websocket that keeps the JSON frames it receives until somebody asks for them. */
export class Socket {
  readonly closed: Promise<Closing>
  readonly #ws: WebSocket
  readonly #signal: AbortSignal
  readonly #frames: unknown[] = []
  #closing: Closing | undefined
  #waiting: (() => void)[] = []

  private constructor(ws: WebSocket, signal: AbortSignal) {
    this.#ws = ws
    this.#signal = signal
    ws.on('message', (data: Buffer) => this.#receive(JSON.parse(data.toString())))
    this.closed = new Promise((resolve) => {
      ws.once('close', (code, reason) => {
        this.#closing = { code, reason: reason.toString() }
        resolve(this.#closing)
        this.#wake()
      })
    })
    signal.addEventListener('abort', () => this.#wake(), { once: true })
  }

  /** @throws {UpgradeRefused} */
  static async open(url: string, { signal, headers, protocols }: SocketOptions): Promise<Socket> {
    const ws = new WebSocket(url, [...(protocols ?? [])], { headers: { ...headers } })
    const refused = once(ws, 'unexpected-response', { signal }).then(([, response]: IncomingMessage[]) => {
      throw new UpgradeRefused(url, response?.statusCode ?? 0)
    })
    // Made before it is open: the first frames may come together with the answer to the upgrade.
    const socket = new Socket(ws, signal)
    try {
      await Promise.race([once(ws, 'open', { signal }), refused])
    } catch (err) {
      ws.on('error', () => undefined)
      ws.terminate()
      throw err
    } finally {
      refused.catch(() => undefined)
    }
    ws.on('error', () => undefined) // what follows is a close, which carries the code
    return socket
  }

  /** The subprotocol that the server chose; empty when none. */
  get protocol(): string {
    return this.#ws.protocol
  }

  /** What was received and not taken yet. */
  get frames(): readonly unknown[] {
    return this.#frames
  }

  send(text: string): void {
    this.#ws.send(text)
  }

  /** Takes the first frame of which `pick` makes something. Frames before it stay. */
  async take<T>(what: string, pick: (frame: unknown) => T | undefined): Promise<T> {
    for (;;) {
      for (const [index, frame] of this.#frames.entries()) {
        const picked = pick(frame)
        if (picked === undefined) continue
        this.#frames.splice(index, 1)
        return picked
      }
      if (this.#closing !== undefined) {
        throw new Error(`the socket was closed with ${this.#closing.code} while ${what} was waited for`)
      }
      if (this.#signal.aborted) throw new Error(`${what} did not come; instead: ${show(this.#frames)}`)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** The code with which the server closes the socket. */
  async takeClose(): Promise<number> {
    await this.take('the close', () => undefined).catch(() => undefined)
    if (this.#closing !== undefined) return this.#closing.code
    throw new Error(`the socket was not closed; instead: ${show(this.#frames)}`)
  }

  async close(): Promise<void> {
    this.#ws.close()
    const timer = setTimeout(() => this.#ws.terminate(), CLOSE_TIMEOUT_MS)
    await this.closed
    clearTimeout(timer)
  }

  #receive(frame: unknown): void {
    this.#frames.push(frame)
    this.#wake()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
