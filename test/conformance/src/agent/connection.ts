import type { IncomingMessage } from 'node:http'
import { CommandAck, StatusMessage } from '#protocol'
import type { RawData, WebSocket } from 'ws'
import type { Watch } from './watch.js'

/** A frame of the agent that is no status message and no acknowledgement, or not a valid one. */
export interface Misfit {
  readonly text: string
  readonly problem: string
}

/** One connection of the agent, seen from the server: what came over it, in order. */
export class AgentConnection {
  readonly messages: StatusMessage[] = []
  readonly acks: CommandAck['ack'][] = []
  readonly misfits: Misfit[] = []
  pongs = 0
  closedWith: number | undefined
  readonly #ws: WebSocket
  readonly #watch: Watch
  readonly #onEvent: (connection: AgentConnection, eventId: string) => void

  constructor(
    ws: WebSocket,
    readonly request: IncomingMessage,
    watch: Watch,
    onEvent: (connection: AgentConnection, eventId: string) => void,
  ) {
    this.#ws = ws
    this.#watch = watch
    this.#onEvent = onEvent
    ws.on('message', (data, isBinary) => this.#receive(data, isBinary))
    ws.on('pong', () => {
      this.pongs += 1
      watch.changed()
    })
    ws.on('error', () => undefined) // a close follows, which is what counts
    ws.on('close', (code) => {
      this.closedWith = code
      watch.changed()
    })
  }

  get isOpen(): boolean {
    return this.closedWith === undefined && this.#ws.readyState === this.#ws.OPEN
  }

  get subprotocol(): string {
    return this.#ws.protocol
  }

  send(frame: unknown): void {
    this.#ws.send(JSON.stringify(frame))
  }

  acknowledgeEvents(...events: string[]): void {
    this.send({ ack: { events } })
  }

  ping(): void {
    this.#ws.ping()
  }

  close(code: number): void {
    this.#ws.close(code)
  }

  /** As when a cable is pulled. */
  terminate(): void {
    this.#ws.terminate()
  }

  #receive(data: RawData, isBinary: boolean): void {
    const text = isBinary ? '' : Buffer.from(data as Buffer).toString()
    const value = isBinary ? undefined : parseJson(text)
    const ack = CommandAck.safeParse(value)
    const message = StatusMessage.safeParse(value)
    if (ack.success) this.acks.push(ack.data.ack)
    else if (message.success) this.#take(message.data)
    else this.misfits.push({ text, problem: isBinary ? 'a binary frame' : message.error.message })
    this.#watch.changed()
  }

  #take(message: StatusMessage): void {
    this.messages.push(message)
    if (message.event?.id !== undefined) this.#onEvent(this, message.event.id)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
