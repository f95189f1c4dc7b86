import { randomUUID } from 'node:crypto'
import { AGENT_SOCKET_PATH, AGENT_SUBPROTOCOL, flagsOf, ServerToAgent, type StateText } from '@printwarden/protocol'
import { WebSocket } from 'ws'
import { sleep } from './processes.js'

// A printer and its agent at the wire that do not give up: they come back after every break, send each event until it is acknowledged,
// and keep a book of all that happened, with which a test compares what the server says.

const REPORT_EVERY_MS = 1000
const COME_BACK_MS = 200
/** A server that was killed behind a proxy says nothing: as real agents do, who hears nothing gives up. */
const SILENT_MS = 30_000
/** Uploads that take longer are cut off by servers. */
const UPLOAD_MS = 90_000

const STATE_AFTER: Readonly<Record<string, StateText>> = { pause: 'Paused', resume: 'Printing', cancel: 'Operational' }
const EVENT_OF: Readonly<Record<string, string>> = {
  pause: 'PrintPaused',
  resume: 'PrintResumed',
  cancel: 'PrintCancelled',
}

/** One event as it happened. */
export interface KnownEvent {
  readonly id: string
  readonly type: string
  readonly print: number
  isAcknowledged: boolean
}

export class SteadyPrinter {
  /** Every event, in order. */
  readonly events: KnownEvent[] = []
  /** Ids of the commands that were carried out, in order. */
  readonly commands: string[] = []
  /** Where its pictures go, unless they go where its socket is. */
  picturesTo: string | undefined
  /** How often it had to connect. */
  connections = 0
  /** How many pictures the server took. */
  pictures = 0
  #state: StateText = 'Operational'
  #print = -1
  #filename = 'none.gcode'
  #ts = 0
  #socket: WebSocket | undefined
  #outbox: { readonly event: KnownEvent; readonly happenedAt: number; readonly message: Record<string, unknown> }[] = []
  #heardAt = 0
  #isClosed = false
  readonly #ended: Promise<void>
  readonly #timer: NodeJS.Timeout

  constructor(
    readonly url: string,
    readonly authToken: string,
  ) {
    this.#ended = this.#stayConnected()
    this.#timer = setInterval(() => this.#report(), REPORT_EVERY_MS)
  }

  get state(): StateText {
    return this.#state
  }

  begin(filename: string): void {
    this.#filename = filename
    // Its start names a print, so no two may have the same one.
    this.#print = Math.max(Math.floor(Date.now() / 1000), ...this.events.map(({ print }) => print + 1))
    this.#change('Printing', 'PrintStarted')
  }

  end(how: 'PrintDone' | 'PrintFailed'): void {
    this.#change('Operational', how)
    this.#print = -1
    this.#report()
  }

  /**
   * Sends a picture. Whether the server took it; while it changes from node to node it may not.
   * @throws {DOMException} TimeoutError when nothing answers
   */
  async show(picture: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const form = new FormData()
    form.set('pic', new Blob([picture], { type: 'image/jpeg' }), 'pic.jpg')
    const headers = { authorization: `Bearer ${this.authToken}`, connection: 'close' }
    try {
      const sent = await fetch(`${this.picturesTo ?? this.url}/api/v1/agent/pic/`, {
        method: 'POST',
        headers,
        body: form,
        signal: AbortSignal.timeout(UPLOAD_MS),
      })
      await sent.arrayBuffer()
      if (sent.ok) this.pictures += 1
      return sent.ok
    } catch (err) {
      if (err instanceof DOMException && err.name === 'TimeoutError') throw err
      return false
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#socket?.terminate()
    await this.#ended
  }

  #change(state: StateText, type: string): void {
    this.#state = state
    const event = { id: randomUUID(), type, print: this.#print, isAcknowledged: false }
    this.events.push(event)
    this.#outbox.push({ event, happenedAt: performance.now(), message: this.#message() })
    this.#sendOldest()
  }

  #message(): Record<string, unknown> {
    // Two messages within a millisecond must still be told apart.
    this.#ts = Math.max(this.#ts + 0.001, Date.now() / 1000)
    const file = { name: this.#filename, path: this.#filename, display: this.#filename }
    const status = { _ts: this.#ts, state: { text: this.#state, flags: flagsOf(this.#state) }, job: { file } }
    return { current_print_ts: this.#print, status }
  }

  /** Events in order, each once the one before it is acknowledged; the present state when there is none. */
  #report(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    if (performance.now() - this.#heardAt > SILENT_MS) return this.#socket.terminate()
    if (this.#outbox.length === 0) this.#socket.send(JSON.stringify(this.#message()))
    else this.#sendOldest()
  }

  #sendOldest(): void {
    const oldest = this.#outbox[0]
    if (oldest === undefined || this.#socket?.readyState !== WebSocket.OPEN) return
    const { event, happenedAt, message } = oldest
    const age_ms = Math.round(performance.now() - happenedAt)
    this.#socket.send(JSON.stringify({ ...message, event: { event_type: event.type, id: event.id, age_ms } }))
  }

  async #stayConnected(): Promise<void> {
    while (!this.#isClosed) {
      await this.#connection().catch(() => {})
      if (!this.#isClosed) await sleep(COME_BACK_MS)
    }
  }

  /** One connection, from its beginning to its end. */
  #connection(): Promise<void> {
    const headers = { authorization: `Bearer ${this.authToken}` }
    const socket = new WebSocket(this.url.replace('http', 'ws') + AGENT_SOCKET_PATH, [AGENT_SUBPROTOCOL], { headers })
    this.#socket = socket
    socket.on('error', () => {})
    const heard = (): void => {
      this.#heardAt = performance.now()
    }
    socket.on('ping', heard)
    socket.on('open', () => {
      heard()
      this.connections += 1
      this.#report()
    })
    socket.on('message', (data: Buffer) => {
      heard()
      this.#take(ServerToAgent.parse(JSON.parse(data.toString())))
    })
    return new Promise((resolve) => socket.once('close', () => resolve()))
  }

  #take({ ack, commands }: ServerToAgent): void {
    for (const id of ack?.events ?? []) {
      const at = this.#outbox.findIndex(({ event }) => event.id === id)
      if (at < 0) continue
      for (const { event } of this.#outbox.splice(at, 1)) event.isAcknowledged = true
      this.#report()
    }
    for (const { id, cmd } of commands ?? []) this.#obey(id, cmd)
  }

  #obey(id: string, cmd: string): void {
    this.commands.push(id)
    this.#socket?.send(JSON.stringify({ ack: { id, result: null } }))
    const state = STATE_AFTER[cmd]
    const type = EVENT_OF[cmd]
    if (state === undefined || type === undefined || this.#print === -1) return
    this.#change(state, type)
    if (cmd === 'cancel') this.#print = -1
  }
}
