import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type CommandName, type Initiator, PrinterStatus } from '@printwarden/protocol'
import type { Kysely } from 'kysely'
import type { Bus, Clock, Database, LiveStore, Log } from '../ports.js'
import type { Tables } from '../tables.js'
import {
  ACK_TIMEOUT_MS,
  afterAck,
  deadlineOf,
  isSeenIn,
  isSeenUnanswered,
  isWorkedOn,
  type PendingCommand,
  readAnswer,
} from './commands.js'
import {
  advanceCommand,
  type CommandRow,
  findCommand,
  insertCommand,
  listPendingCommands,
  pruneCommands,
} from './commands-store.js'
import { statusKey } from './live-keys.js'
import { agentSubject, type PrinterNotice, printerSubject, type ToAgent } from './notices.js'
import { commandView } from './view.js'

/** How long the node that holds the agent's socket may take to write a frame to it. */
const HAND_OVER_TIMEOUT_MS = 2000

const SWEEP_INTERVAL_MS = 1000
/** How often a node looks for commands of nodes that are gone. */
const ADOPT_INTERVAL_MS = 15_000
/** How long a command waits for an agent that changes from one node to another. */
const MOVE_MS = 10_000
const MOVE_STEP_MS = 250
/** The same once this node stops: agents that it has sent away are at another one by then, and stopping must not take longer. */
const STOPPING_MOVE_MS = 3000
const KEEP_COMMANDS_MS = 30 * 24 * 3_600_000

export interface PrinterFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly live: Pick<LiveStore, 'get'>
  readonly clock: Clock
  readonly log: Log
  /** Among several nodes: whether the printer's agent was there a moment ago, and so may be on its way to another node. */
  readonly isMoving?: ((printerId: number) => Promise<boolean>) | undefined
}

/** What a printer is asked to do. */
export interface CommandRequest {
  readonly cmd: CommandName
  readonly args: Record<string, unknown>
  readonly initiator: Initiator
  /** The user's or the app's name. */
  readonly initiator_name?: string | null
  /** Why the server asks by itself. */
  readonly reason?: string | null
}

/** What an agent says about a command it was given. */
export interface CommandAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: string; readonly detail: string } | undefined
}

export type PrinterFlow = ReturnType<typeof printerFlow>

/**
 * Commands to agents, and what becomes of them: sent, acknowledged by the agent, seen in the printer's state; or failed, or out
 * of time. Those under way are held in memory too, so that a status message costs no SQL when nothing is awaited.
 */
export function printerFlow({ database, bus, live, clock, log, isMoving }: PrinterFlowDeps) {
  const pending = new Map<string, PendingCommand>()
  /** How many of `pending` each printer has. */
  const awaited = new Map<number, number>()
  let timer: NodeJS.Timeout | undefined
  let adopting: NodeJS.Timeout | undefined
  let stopsAt = Number.POSITIVE_INFINITY

  function hold(command: PendingCommand): void {
    if (!pending.has(command.id)) awaited.set(command.printer_id, (awaited.get(command.printer_id) ?? 0) + 1)
    pending.set(command.id, command)
    timer ??= setInterval(() => void sweep(), SWEEP_INTERVAL_MS).unref()
  }

  function release(command: PendingCommand): void {
    if (!pending.delete(command.id)) return
    const left = (awaited.get(command.printer_id) ?? 1) - 1
    if (left > 0) awaited.set(command.printer_id, left)
    else awaited.delete(command.printer_id)
    if (pending.size === 0) stopSweeping()
  }

  function stopSweeping(): void {
    clearInterval(timer)
    timer = undefined
  }

  function tell(row: CommandRow): void {
    const notice: PrinterNotice = { type: 'command', command: commandView(row) }
    bus.publish(printerSubject(row.printer_id), notice)
  }

  /** Hands a command to the printer's agent. `succeeded` says whether it is on the agent's socket. */
  async function send(
    printer: { readonly id: number },
    request: CommandRequest,
  ): Promise<{ succeeded: boolean; command_id: string }> {
    // Written first: the agent's answer may be here before this node hears that the frame went out.
    return sendWritten(await write(database.db, printer, request), request)
  }

  /** Writes down a command that is to be sent, on its own or in one transaction with what decides whether it may be. */
  async function write(
    db: Kysely<Tables>,
    printer: { readonly id: number },
    { cmd, initiator, initiator_name = null, reason = null }: CommandRequest,
  ): Promise<CommandRow> {
    return insertCommand(db, {
      ...{ id: randomUUID(), printer_id: printer.id, cmd, status: 'sent', created_at: clock.now() },
      ...{ initiator, initiator_name, reason },
      ...{ acked_at: null, error: null, done_at: null },
    })
  }

  /** Hands a command that was just written down to the printer's agent. */
  async function sendWritten(
    row: CommandRow,
    { cmd, args, initiator }: CommandRequest,
  ): Promise<{ succeeded: boolean; command_id: string }> {
    const { id, printer_id, created_at } = row
    const created = { id, printer_id, cmd, status: 'sent' as const, created_at, acked_at: null }
    hold(created)
    const frame: ToAgent = { type: 'command', id, cmd, args, initiator, expires_in_ms: ACK_TIMEOUT_MS }
    const isHandedOver = await handOver(printer_id, frame)
    if (isHandedOver) {
      tell(row)
    } else {
      await end(created, 'failed', 'not_connected: No agent is connected for this printer.')
    }
    return { succeeded: isHandedOver, command_id: id }
  }

  /** Gives a frame to the node that holds the agent's socket. An agent that is between two nodes is waited for. */
  async function handOver(printerId: number, frame: Extract<ToAgent, { type: 'command' }>): Promise<boolean> {
    const begun = performance.now()
    let waited = 0
    for (;;) {
      const left = { ...frame, expires_in_ms: frame.expires_in_ms - waited }
      if ((await bus.request(agentSubject(printerId), left, HAND_OVER_TIMEOUT_MS)) === true) return true
      const isOver = waited >= MOVE_MS || performance.now() >= stopsAt
      if (isMoving === undefined || isOver || !(await isMoving(printerId))) return false
      await delay(MOVE_STEP_MS)
      waited = Math.round(performance.now() - begun)
    }
  }

  /** Ends a command, unless somebody else moved it on meanwhile. */
  async function end(command: PendingCommand, status: 'done' | 'failed' | 'timed_out', error: string | null) {
    const changes = { status, error, done_at: clock.now() }
    const row = await advanceCommand(database.db, command.id, [command.status], changes)
    if (pending.get(command.id)?.status === command.status) release(command)
    if (row !== undefined) tell(row)
  }

  /** The agent took the command, or says why it did not. An answer to an unknown or ended command changes nothing. */
  async function commandAcked(printerId: number, id: string, answer: CommandAnswer): Promise<void> {
    const found = await findCommand(database.quick, printerId, id)
    if (found === undefined || found.status !== 'sent') return
    const now = clock.now()
    const { cmd } = commandView(found)
    const { result, error } = readAnswer(cmd, answer)
    const status = afterAck(cmd, error)
    const row = await advanceCommand(database.db, id, ['sent'], {
      status,
      result,
      acked_at: now,
      ...(status === 'acked' ? {} : { done_at: now }),
      ...(error === undefined ? {} : { error: `${error.code}: ${error.detail}` }),
    })
    if (row === undefined) return
    const command = {
      id,
      printer_id: printerId,
      cmd,
      created_at: found.created_at,
      acked_at: now,
      status: 'acked' as const,
    }
    if (status === 'acked') hold(command)
    else release(command)
    tell(row)
  }

  /** Whether a command still waits to be sent: one that was told to have failed must not reach the agent any more. */
  async function isToBeSent(printerId: number, id: string): Promise<boolean> {
    return (await findCommand(database.quick, printerId, id))?.status === 'sent'
  }

  /** Marks commands whose effect this status shows. Never rejects; costs a look-up when nothing is awaited. */
  async function commandsSeen(printerId: number, status: PrinterStatus): Promise<void> {
    if (!awaited.has(printerId)) return
    const seen = [...pending.values()].filter((command) => command.printer_id === printerId)
    for (const command of seen) {
      if (command.status !== 'sent' || !isWorkedOn(command.cmd, status)) continue
      pending.set(command.id, { ...command, working_at: clock.now() })
    }
    await endAll(
      seen.filter(
        (command) => isSeenIn(command.cmd, status) && (command.status === 'acked' || isSeenUnanswered(command.cmd)),
      ),
      'done',
    )
  }

  /** Ends commands that ran out of time. Called by a timer while commands are under way. */
  async function sweep(): Promise<void> {
    const now = clock.now()
    const over: PendingCommand[] = []
    for (const command of pending.values()) {
      if (deadlineOf(command) <= now && !(await isGoneOnWith(command))) over.push(command)
    }
    await endAll(over, 'timed_out')
  }

  /** Whether the agent still fetches the file. Statuses come to one node, and any may wait for the command: this one may have seen none. */
  async function isGoneOnWith(command: PendingCommand): Promise<boolean> {
    if (command.status !== 'sent' || command.cmd !== 'print') return false
    const status = PrinterStatus.safeParse(await live.get(statusKey(command.printer_id)).catch(() => undefined)).data
    if (status === undefined || !isWorkedOn(command.cmd, status)) return false
    if (pending.get(command.id)?.status === 'sent') pending.set(command.id, { ...command, working_at: clock.now() })
    return true
  }

  async function endAll(commands: readonly PendingCommand[], status: 'done' | 'timed_out'): Promise<void> {
    for (const command of commands) {
      await end(command, status, null).catch((err: unknown) => {
        log.error({ err, printer_id: command.printer_id, command_id: command.id }, 'a command could not be ended')
      })
    }
  }

  /** Goes on waiting for what a stopped server was waiting for, and forgets what ended long ago. */
  async function start(): Promise<void> {
    await pruneCommands(database.db, clock.now() - KEEP_COMMANDS_MS)
    await adopt()
    await sweep()
    // Other nodes may end at any time, and leave commands behind that nobody waits for.
    if (isMoving !== undefined) adopting = setInterval(() => void adoptLater(), ADOPT_INTERVAL_MS).unref()
  }

  async function adoptLater(): Promise<void> {
    await adopt().catch((err: unknown) => log.warn({ err }, 'commands of other nodes cannot be read'))
  }

  /** Waits for what other nodes, or an earlier run of this one, were waiting for: of one printer, or of all. */
  async function adopt(printerId?: number): Promise<void> {
    for (const row of await listPendingCommands(database.db, printerId)) {
      if (pending.get(row.id)?.status === row.status) continue
      const { id, printer_id, created_at, acked_at } = row
      const { cmd } = commandView(row)
      const status = row.status === 'acked' ? 'acked' : 'sent'
      // An agent may have been fetching a file all the while.
      const working = cmd === 'print' && status === 'sent' ? { working_at: clock.now() } : {}
      hold({ id, printer_id, cmd, created_at, acked_at, status, ...working })
    }
  }

  /** This node stops soon: agents on their way to another one are waited for a moment longer. */
  function hurry(): void {
    stopsAt = performance.now() + STOPPING_MOVE_MS
  }

  function close(): void {
    clearInterval(adopting)
    stopSweeping()
  }

  return { send, write, sendWritten, isToBeSent, commandAcked, commandsSeen, adopt, sweep, start, hurry, close }
}
