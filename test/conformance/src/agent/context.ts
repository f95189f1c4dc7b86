import { randomUUID } from 'node:crypto'
import {
  CLOSE_CODES,
  type CommandAck,
  NO_PRINT,
  type PrintEventType,
  type StateText,
  type StatusMessage,
} from '#protocol'
import { show } from '../expect.js'
import type { CaseOf } from '../case.js'
import type { AgentConnection } from './connection.js'
import type { AgentProgram } from './program.js'
import type { ScriptedServer, StoredFile } from './scripted-server.js'

/** A check of one rule of the agent. */
export type AgentCase = CaseOf<AgentContext>

/** What the cases of one run have in common. */
export interface AgentRunState {
  readonly server: ScriptedServer
  readonly authToken: string
  /** Undefined when a person starts the agent. */
  readonly program: AgentProgram | undefined
  /** Ids of stored files that were given away. */
  lastFileId: number
}

export type Ack = CommandAck['ack']

/** A print that has come further than this is not used by another case: it may end in the middle of it. */
const USED_UP_PERCENT = 40

/** How long a command may be carried out. */
const COMMAND_MS = 60_000

/** What a case about an agent works with: the server that the agent is connected to, and means to bring it into a state. */
export class AgentContext {
  readonly server: ScriptedServer
  readonly authToken: string
  readonly program: AgentProgram | undefined
  readonly signal: AbortSignal
  readonly #run: AgentRunState

  constructor(run: AgentRunState, signal: AbortSignal) {
    this.#run = run
    this.server = run.server
    this.authToken = run.authToken
    this.program = run.program
    this.signal = signal
  }

  /** The agent's connection; it is started when it does not run, and waited for. */
  async connected(): Promise<AgentConnection> {
    const { server, program } = this
    if (program !== undefined && !program.isRunning) program.start()
    return this.until(
      'the connection of the agent',
      () => server.connection,
      () => program?.output ?? 'nothing',
    )
  }

  /**
   * The connection of an agent that has just been started, where the kit can start it: one that knows of no trouble with the
   * server, and is quick to come back.
   */
  async restarted(): Promise<AgentConnection> {
    const { program, server } = this
    if (program !== undefined) {
      program.stop()
      await this.until(
        'the end of the agent',
        () => !program.isRunning || undefined,
        () => program.output,
      )
      await this.until(
        'the end of its connection',
        () => server.connection === undefined || undefined,
        () => 'one',
      )
    }
    return this.connected()
  }

  /** Ends the connection as a server does that is started anew, and gives the next one. */
  reconnect(connection: AgentConnection): Promise<AgentConnection> {
    connection.close(CLOSE_CODES.restart)
    return this.reconnected(connection)
  }

  /** Another connection than this one. */
  reconnected(before: AgentConnection): Promise<AgentConnection> {
    const pick = (): AgentConnection | undefined => {
      const now = this.server.connection
      return now === before ? undefined : now
    }
    return this.until('another connection', pick, () => this.program?.output ?? 'nothing')
  }

  /** Waits until `pick` makes something of what the server has seen. */
  until<T>(what: string, pick: () => T | undefined, seen: () => unknown): Promise<T> {
    return this.server.watch.until(what, this.signal, pick, seen)
  }

  /** The first message of the connection that fits, from the one with number `from` on. */
  message(
    connection: AgentConnection,
    what: string,
    isIt: (message: StatusMessage) => boolean,
    from = 0,
  ): Promise<StatusMessage> {
    const pick = (): StatusMessage | undefined => connection.messages.slice(from).find(isIt)
    return this.until(what, pick, () => lastOf(connection))
  }

  /** The newest message, once the printer is in this state. */
  async state(connection: AgentConnection, text: StateText): Promise<StatusMessage> {
    const pick = (): StatusMessage | undefined => {
      const last = connection.messages.at(-1)
      return last?.status.state.text === text ? last : undefined
    }
    return this.until(`the state ${text}`, pick, () => lastOf(connection))
  }

  /** The message with this event, among those from the number `from` on. */
  event(connection: AgentConnection, type: PrintEventType, from = 0): Promise<StatusMessage> {
    return this.message(connection, type, ({ event }) => event?.event_type === type, from)
  }

  /** Sends a command, and gives its id. */
  send(connection: AgentConnection, cmd: string, args: object = {}, more: object = {}): string {
    const id = randomUUID()
    connection.send({ commands: [{ id, cmd, args, initiator: 'api', expires_in_ms: COMMAND_MS, ...more }] })
    return id
  }

  /** The agent's answer to a command. */
  ack(connection: AgentConnection, id: string): Promise<Ack> {
    const pick = (): Ack | undefined => connection.acks.find((ack) => ack.id === id)
    return this.until(`the answer to the command ${id}`, pick, () => connection.acks)
  }

  /** Sends a command that must be taken. */
  async order(connection: AgentConnection, cmd: string, args: object = {}): Promise<Ack> {
    const ack = await this.ack(connection, this.send(connection, cmd, args))
    if (ack.error !== undefined) throw new Error(`${cmd} was refused: ${show(ack.error)}`)
    return ack
  }

  /** A file that was never printed. */
  newFile(): StoredFile {
    this.#run.lastFileId += 1
    const id = this.#run.lastFileId
    return { id, name: `conformance-${id}.gcode`, bytes: Buffer.from(`; file ${id}\nG28\nG1 X10 Y10 F3000\nM84\n`) }
  }

  /** The connection of an agent whose printer prints nothing. */
  async idle(): Promise<AgentConnection> {
    const connection = await this.connected()
    const first = await this.message(connection, 'a status message', () => true)
    const last = (): StatusMessage => connection.messages.at(-1) ?? first
    // A print that ends by itself in this moment cannot be cancelled any more, which is as good.
    if (last().current_print_ts !== NO_PRINT) await this.ack(connection, this.send(connection, 'cancel'))
    await this.until(
      'an idle printer',
      () => isIdle(last()) || undefined,
      () => lastOf(connection),
    )
    return connection
  }

  /** Starts a print of a file that was never printed, and gives the message that told of its start. */
  async startPrint(connection: AgentConnection, file = this.newFile()): Promise<StatusMessage> {
    const from = connection.messages.length
    await this.order(connection, 'print', this.server.offer(file))
    return this.event(connection, 'PrintStarted', from)
  }

  /** The connection of an agent whose printer is printing, not paused, and has long to go. */
  async printing(): Promise<AgentConnection> {
    const connection = await this.connected()
    await this.message(connection, 'a status message', () => true)
    const last = connection.messages.at(-1)
    const done = last?.status.progress?.completion ?? 0
    const isUsable = last?.status.state.text === 'Printing' && last.current_print_ts > 0 && done < USED_UP_PERCENT
    if (isUsable) return connection
    await this.idle()
    await this.startPrint(connection)
    await this.state(connection, 'Printing')
    return connection
  }

  /** The next case finds a server that behaves. */
  async close(): Promise<void> {
    this.server.acknowledges = true
    this.server.refusals = []
    this.server.holdFiles()()
  }
}

const isIdle = ({ current_print_ts, status }: StatusMessage): boolean =>
  current_print_ts === NO_PRINT && status.state.text === 'Operational'

function lastOf({ messages, misfits }: AgentConnection): unknown {
  const last = messages.at(-1)
  if (misfits.length > 0) return { misfit: misfits.at(-1)?.problem, last: last?.status.state.text }
  return last && { state: last.status.state.text, print: last.current_print_ts, event: last.event }
}
