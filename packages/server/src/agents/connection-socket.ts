import { CLOSE_CODES, type ServerToAgent } from '@printwarden/protocol'
import type { WebSocket } from 'ws'
import type { AgentCaller } from '../http/api.js'
import { settleDueAt } from '../prints/lifecycle.js'
import type { Bus, Clock, Log } from '../ports.js'
import { agentSubject } from '../printers/notices.js'
import type { AgentFlow, AgentSession } from './flow.js'
import { type Frame, readFrame } from './frame.js'
import { type AgentLimits, messageCost } from './limits.js'
import { isNewer, Opening, openedSubject } from './opening.js'
import { TaskQueue } from './task-queue.js'
import { toAgentFrame } from './to-agent.js'
import { type Bucket, take } from './token-bucket.js'

export interface ConnectionDeps {
  readonly agents: AgentFlow
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly limits: AgentLimits
  /** Whether somebody looks at the printer now. */
  isViewed(printerId: number): Promise<boolean>
}

/** The standard code for "something went wrong on our side": the agent comes back and sends again what was not acknowledged. */
const INTERNAL_ERROR = 1011

/** How long the other side may take to answer a close before the connection is cut. */
const CLOSE_TIMEOUT_MS = 2000

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
  /** Stays until the end: a newer connection may come while this one is closing. */
  readonly #stopMeeting: () => void
  #stopCommands: (() => void) | undefined
  #session: AgentSession | undefined
  #bucket: Bucket | undefined
  #isReplaced = false
  #isHeard = true
  #settleTimer: NodeJS.Timeout | undefined

  constructor(socket: WebSocket, agent: AgentCaller, opening: Opening, deps: ConnectionDeps) {
    this.agent = agent
    this.#socket = socket
    this.#opening = opening
    this.#deps = deps
    this.#queue = new TaskQueue(
      (err) => this.#fail(err),
      () => this.#afterTask(),
    )
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
    const viewing = await this.#deps.isViewed(printer_id)
    this.#send({ remote_status: { viewing, should_watch: opened.should_watch } })
    this.#ping()
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#stopCommands = bus.subscribe(agentSubject(printer_id), (payload) => this.#handOver(payload))
  }

  /** Another socket of this agent has been opened, here or on another node. */
  #meet(payload: unknown): void {
    const other = Opening.safeParse(payload).data
    if (other === undefined || !isNewer(other, this.#opening)) return
    this.#isReplaced = true
    this.close(CLOSE_CODES.replaced, 'replaced by a newer connection')
  }

  /** True once the frame is on the socket; no answer when it is not, so that nobody takes it for sent. */
  #handOver(payload: unknown): true | undefined {
    const frame = toAgentFrame(payload)
    const timed = frame?.commands === undefined ? frame : { ...frame, sent_ms: sentMs() }
    return this.#send(timed) ? true : undefined
  }

  /** A ping says when it left, so that the agent knows how long messages are under way. */
  #ping(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping(String(sentMs()))
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#isHeard = true
    const { limits, clock } = this.#deps
    const { bucket, waitMs } = take(this.#bucket, limits.messages, messageCost(bytes.byteLength), clock.now())
    this.#bucket = bucket
    if (waitMs > 0) return this.close(CLOSE_CODES.tooManyMessages, 'too many messages')
    this.#queue.add(() => this.#apply(readFrame(bytes, isBinary)))
    if (this.#queue.waiting >= limits.maxWaiting) this.#socket.pause()
  }

  async #apply(frame: Frame): Promise<void> {
    const session = this.#session
    if (session === undefined) return
    const { agents, log } = this.#deps
    switch (frame.type) {
      case 'status':
        this.#send(await agents.apply(session, frame.message))
        break
      case 'command_ack':
        await agents.acknowledge(session, frame.ack)
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

  /** Says whether the frame is on the socket. */
  #send(frame: ServerToAgent | undefined): boolean {
    if (frame === undefined || this.#socket.readyState !== this.#socket.OPEN) return false
    if (this.#socket.bufferedAmount > this.#deps.limits.maxUnreadBytes) {
      this.close(CLOSE_CODES.silent, 'does not read')
      return false
    }
    this.#socket.send(JSON.stringify(frame))
    return true
  }
}
