import { AGENT_SUBPROTOCOL, type AgentCommand, type AgentError, ServerToAgent, type StatusMessage } from '#protocol'
import { type Closing, Socket } from './socket.js'

export interface AgentOptions {
  readonly signal: AbortSignal
  /** Of the `Authorization` header; `Bearer` unless stated. */
  readonly scheme?: string
  /** `agent.v1` unless stated. */
  readonly protocols?: readonly string[]
}

/** The agent of a printer, reduced to its socket: it does nothing by itself. */
export class AgentClient {
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  /** @throws {UpgradeRefused} */
  static async open(url: string, authToken: string | undefined, options: AgentOptions): Promise<AgentClient> {
    const { signal, scheme = 'Bearer', protocols = [AGENT_SUBPROTOCOL] } = options
    const headers = authToken === undefined ? {} : { authorization: `${scheme} ${authToken}` }
    return new AgentClient(await Socket.open(url, { signal, headers, protocols }))
  }

  get protocol(): string {
    return this.#socket.protocol
  }

  get closed(): Promise<Closing> {
    return this.#socket.closed
  }

  send(message: StatusMessage): void {
    this.sendText(JSON.stringify(message))
  }

  /** Any text, so that a case can send what is no message. */
  sendText(text: string): void {
    this.#socket.send(text)
  }

  /** Tells the server that the host took the command, or why it did not. */
  acknowledge(id: string, outcome: { result: unknown } | { error: { code: string; detail: string } }): void {
    this.sendText(JSON.stringify({ ack: { id, ...outcome } }))
  }

  /** The next command of this name. */
  takeCommand(cmd: AgentCommand['cmd']): Promise<AgentCommand> {
    return this.#take(`the command "${cmd}"`, ({ commands }) => commands?.find((command) => command.cmd === cmd))
  }

  takeError(): Promise<AgentError> {
    return this.#take('an error', ({ error }) => error)
  }

  /** Waits until the server has acknowledged the event. */
  async takeEventAck(eventId: string): Promise<void> {
    await this.#take(`the acknowledgement of ${eventId}`, ({ ack }) => ack?.events.includes(eventId) || undefined)
  }

  /** The code with which the server closes the socket. */
  takeClose(): Promise<number> {
    return this.#socket.takeClose()
  }

  /** Errors that were received and not taken. */
  errors(): AgentError[] {
    return this.#socket.frames.flatMap((frame) => ServerToAgent.safeParse(frame).data?.error ?? [])
  }

  /** Commands that were received and not taken. */
  commands(): AgentCommand[] {
    return this.#socket.frames.flatMap((frame) => ServerToAgent.safeParse(frame).data?.commands ?? [])
  }

  close(): Promise<void> {
    return this.#socket.close()
  }

  #take<T>(what: string, pick: (frame: ServerToAgent) => T | undefined): Promise<T> {
    return this.#socket.take(what, (frame) => pick(ServerToAgent.parse(frame)))
  }
}
