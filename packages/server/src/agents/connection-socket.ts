import { CLOSE_CODES, type ServerToAgent } from '@printwarden/protocol'
import type { WebSocket } from 'ws'
import type { AgentCaller } from '../http/api.js'
import { settleDueAt } from '../prints/lifecycle.js'
import type { Bus, Clock, Log } from '../ports.js'
import { agentSubject, janusSubject, passthruSubject } from '../printers/notices.js'
import type { Door } from './door.js'
import type { AgentFlow, AgentSession } from './flow.js'
import type { Frame } from './frame.js'
import { type AgentLimits, messageCost } from './limits.js'
import { isNewer, Opening, openedSubject } from './opening.js'
import { TaskQueue } from './task-queue.js'
import { readToAgent } from './to-agent.js'
import type { LocalRate } from '../limits/local-rate.js'
import type { Refusals } from '../limits/refusals.js'

export interface ConnectionDeps {
  readonly agents: AgentFlow
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly limits: AgentLimits
  /** What each printer may say, over this socket and those before it. */
  readonly messages: LocalRate
  readonly refusals: Refusals
  /** Makes this node the one that decides about the printer, until the returned function is called. */
  settle(printerId: number): Promise<() => void>
  /** Whether somebody looks at the printer now. */
  isViewed(printerId: number): Promise<boolean>
}

/** What a dialect may do with the connection that it is spoken on, besides answering. */
export interface DoorSide {
  readonly agent: AgentCaller
  /** Writes a frame as it is, if the socket is open. */
  tell(frame: object): void
  /** Applies something after everything that was read, as if the agent had said it. */
  say(frame: Frame): void
}

export type OpenDoor = (side: DoorSide) => Door

/** The standard code for "something went wrong on our side": the agent comes back and sends again what was not acknowledged. */
const INTERNAL_ERROR = 1011

/** How long the other side may take to answer a close before the connection is cut. */
const CLOSE_TIMEOUT_MS = 2000

/** Of so many commands, the last ones, a connection knows that it has handed them over: who asks again does so within seconds. */
const MOST_REMEMBERED = 200

/** Monotonic: it only has to rise evenly while a connection stands. */
const sentMs = (): number => Math.round(performance.now())

/** One agent's open socket. Its messages are applied strictly one after another, the opening first and the closing last. */
export class AgentConnection {
  readonly agent: AgentCaller
  /** Resolves when the socket is closed and everything that came over it is applied. */
  readonly closed: Promise<void>
  readonly #socket: WebSocket
  readonly #opening: Opening
  readonly #deps: ConnectionDeps
  readonly #queue: TaskQueue
  readonly #door: Door
  /** Stays until the end: a newer connection may come while this one is closing. */
  readonly #stopMeeting: () => void
  #stopCommands: (() => void) | undefined
  /** The ids of commands that are on the socket, the oldest first. */
  readonly #handedOver = new Set<string>()
  #session: AgentSession | undefined
  #isReplaced = false
  #isHeard = true
  #settleTimer: NodeJS.Timeout | undefined

  constructor(socket: WebSocket, agent: AgentCaller, opening: Opening, openDoor: OpenDoor, deps: ConnectionDeps) {
    this.agent = agent
    this.#socket = socket
    this.#opening = opening
    this.#deps = deps
    this.#queue = new TaskQueue(
      (err) => this.#fail(err),
      () => this.#afterTask(),
    )
    this.#door = openDoor({
      agent,
      tell: (frame) => void this.#write(frame),
      say: (frame) => this.#queue.add(() => this.#apply(frame)),
    })
    this.#queue.add(() => this.#open())
    socket.on('message', (bytes: Buffer, isBinary) => this.#receive(bytes, isBinary))
    socket.on('pong', () => {
      this.#isHeard = true
    })
    this.closed = new Promise((resolve) => {
      socket.on('close', () => this.#queue.add(() => this.#end().finally(resolve)))
    })
    const subject = openedSubject(agent.printer_id)
    this.#stopMeeting = deps.bus.subscribe(subject, (payload) => this.#meet(payload))
    deps.bus.publish(subject, opening)
  }

  /** Ends the connection. What waits to be applied is applied all the same. */
  close(code: number, reason: string): void {
    this.#stopCommands?.()
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#socket.close(code, reason)
    // A paused socket would not hear the other side's answer.
    this.#socket.resume()
    setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT_MS).unref()
  }

  /** To be called at each ping interval: who was silent since the last one is gone. */
  tick(): void {
    if (this.#session !== undefined) this.#deps.agents.expire(this.#session)
    if (this.#socket.readyState !== this.#socket.OPEN) return
    // While reading is paused, it is the server that is slow.
    if (!this.#isHeard && !this.#socket.isPaused) return this.close(CLOSE_CODES.silent, 'no sign of life')
    this.#isHeard = false
    this.#ping()
  }

  async #open(): Promise<void> {
    const { agents, bus } = this.#deps
    const { printer_id } = this.agent
    const opened = await agents.open(this.agent)
    if (opened === undefined) return this.close(CLOSE_CODES.unauthorized, 'the printer is gone')
    this.#session = opened.session
    const moveOut = await this.#deps.settle(printer_id)
    const viewing = await this.#deps.isViewed(printer_id)
    this.#send({ remote_status: { viewing, should_watch: opened.should_watch } })
    this.#ping()
    if (this.#socket.readyState !== this.#socket.OPEN) return moveOut()
    const stopCommands = bus.subscribe(agentSubject(printer_id), (payload) => this.#take(payload))
    this.#stopCommands = () => {
      stopCommands()
      moveOut()
    }
  }

  /** Another socket of this agent has been opened, here or on another node. */
  #meet(payload: unknown): void {
    const other = Opening.safeParse(payload).data
    if (other === undefined || !isNewer(other, this.#opening)) return
    this.#isReplaced = true
    this.close(CLOSE_CODES.replaced, 'replaced by a newer connection')
  }

  /**
   * Asked of the database for commands, which the bus may bring late: whoever sent one has told by then that it failed. A sender whose
   * answer is late asks again, while the database hangs several times; not every agent would see that it is the same command.
   */
  async #take(payload: unknown): Promise<true | undefined> {
    const { agents } = this.#deps
    const wanted = readToAgent(payload)
    if (wanted?.type !== 'command') return this.#handOver(payload)
    const { id } = wanted
    const isToBeSent = this.#handedOver.has(id) || (await agents.isToBeSent(this.agent.printer_id, id))
    // Asked anew: meanwhile it may have been handed over to whoever asked before.
    if (this.#handedOver.has(id)) return true
    if (!isToBeSent || this.#handOver(payload) === undefined) return undefined
    this.#remember(id)
    return true
  }

  #remember(id: string): void {
    this.#handedOver.add(id)
    const [oldest] = this.#handedOver
    if (oldest !== undefined && this.#handedOver.size > MOST_REMEMBERED) this.#handedOver.delete(oldest)
  }

  /** True once it is on the socket or answered here; no answer when it is not, so that nobody takes it for sent. */
  #handOver(payload: unknown): true | undefined {
    const taken = this.#door.handOver(payload)
    if (taken === undefined) return undefined
    const { frame, said } = taken
    const isTimed = this.#door.tellsTime && frame !== undefined && 'commands' in frame
    if (frame !== undefined && !this.#write(isTimed ? { ...frame, sent_ms: sentMs() } : frame)) return undefined
    if (said !== undefined) this.#queue.add(() => this.#apply(said))
    return true
  }

  /** A ping says when it left, so that the agent knows how long messages are under way. */
  #ping(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping(String(sentMs()))
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#isHeard = true
    const { limits, messages, clock, refusals } = this.#deps
    const { printer_id } = this.agent
    if (messages.take(printer_id, messageCost(bytes.byteLength), clock.now()) > 0) {
      refusals.note('agent_messages', `printer ${printer_id}`)
      return this.close(CLOSE_CODES.tooManyMessages, 'too many messages')
    }
    this.#queue.add(() => this.#read(bytes, isBinary))
    if (this.#queue.waiting >= limits.maxWaiting) this.#socket.pause()
  }

  async #read(bytes: Buffer, isBinary: boolean): Promise<void> {
    const session = this.#session
    if (session === undefined) return
    for (const frame of this.#door.read(bytes, isBinary, session)) await this.#apply(frame)
  }

  async #apply(frame: Frame): Promise<void> {
    const session = this.#session
    if (session === undefined) return
    const { agents, log } = this.#deps
    switch (frame.type) {
      case 'status':
        this.#send(await agents.apply(session, frame.message, frame.text))
        break
      case 'command_ack':
        await agents.acknowledge(session, frame.ack)
        break
      case 'no_status':
        await agents.applyNoStatus(session, frame.settings)
        break
      case 'filament_change':
        await agents.noteFilamentChange(session)
        break
      case 'relay':
        this.#relay(frame)
        break
      case 'refused':
        log.debug({ printer_id: this.agent.printer_id, error: frame.error }, 'message refused')
        this.#send({ error: frame.error })
        break
      case 'close':
        this.close(frame.code, frame.reason)
        break
    }
  }

  #relay({ channel, message }: Extract<Frame, { type: 'relay' }>): void {
    const subjectOf = channel === 'janus' ? janusSubject : passthruSubject
    this.#deps.bus.publish(subjectOf(this.agent.printer_id), message)
  }

  #afterTask(): void {
    if (this.#socket.isPaused && this.#queue.waiting * 2 < this.#deps.limits.maxWaiting) this.#socket.resume()
    const dueAt = this.#session && settleDueAt(this.#session.tracking)
    if (dueAt === undefined || this.#settleTimer !== undefined) return
    const delay = Math.max(0, dueAt - this.#deps.clock.now())
    this.#settleTimer = setTimeout(() => this.#queue.add(() => this.#settle()), delay).unref()
  }

  async #settle(): Promise<void> {
    this.#settleTimer = undefined
    if (this.#session !== undefined) this.#send(await this.#deps.agents.settle(this.#session))
  }

  #fail(err: unknown): void {
    this.#deps.log.error({ err, printer_id: this.agent.printer_id }, 'message of an agent could not be applied')
    this.close(INTERNAL_ERROR, 'try again')
  }

  async #end(): Promise<void> {
    this.#stopCommands?.()
    this.#door.close()
    clearTimeout(this.#settleTimer)
    const session = this.#session
    this.#session = undefined
    try {
      // A newer connection has taken over: what it reports must not be wiped away.
      if (session !== undefined && !this.#isReplaced) await this.#deps.agents.close(session)
    } finally {
      this.#stopMeeting()
    }
  }

  #send(frame: ServerToAgent | undefined): void {
    const told = frame && this.#door.write(frame)
    if (told !== undefined) this.#write(told)
  }

  /** Says whether the frame is on the socket. */
  #write(frame: object): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false
    if (this.#socket.bufferedAmount > this.#deps.limits.maxUnreadBytes) {
      this.close(CLOSE_CODES.silent, 'does not read')
      return false
    }
    this.#socket.send(JSON.stringify(frame))
    return true
  }
}
