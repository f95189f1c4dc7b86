import { type Deadline, deadlineOf, pause } from './deadline.js'
import { CommandError, NetworkError } from './errors.js'
import type { ActionResult, Command } from './resources.js'

/** What {@link Client.waitFor} accepts besides the command. */
export interface WaitOptions {
  /** Gives up waiting; the command goes on. */
  signal?: AbortSignal
  /** Longest wait, in milliseconds. Default 120 000; the server itself gives a command up earlier. 0 means no limit. */
  timeoutMs?: number
}

/** What can be waited for: the answer to an action, or a command. */
export type WaitTarget = ActionResult | Pick<Command, 'id' | 'printer_id'>

/** What the client's live subscriptions tell of commands. */
export interface CommandNews {
  /** Passes on what a subscription heard. */
  tell(command: Command): void
  /** Notes that a subscription to these printers is up to date, or, with `undefined`, that it is not. */
  follow(subscription: object, printers: 'all' | readonly number[] | undefined): void
  isFollowed(printerId: number): boolean
  /** Calls back at each step of one command. Returns how to stop. */
  listen(id: string, listener: (command: Command) => void): () => void
}

/** News of commands, shared by all subscriptions of one client. */
export function commandNews(): CommandNews {
  const listeners = new Map<(command: Command) => void, string>()
  const followed = new Map<object, 'all' | readonly number[]>()
  return {
    tell(command) {
      for (const [listener, id] of listeners) if (id === command.id) listener(command)
    },
    follow(subscription, printers) {
      if (printers === undefined) followed.delete(subscription)
      else followed.set(subscription, printers)
    },
    isFollowed: (printerId) =>
      [...followed.values()].some((printers) => printers === 'all' || printers.includes(printerId)),
    listen(id, listener) {
      listeners.set(listener, id)
      return () => void listeners.delete(listener)
    },
  }
}

/** How a command is asked for. */
export type AskForCommand = (input: { id: number; command_id: string }, signal: AbortSignal) => Promise<Command>

const WAIT_MS = 120_000
const FIRST_MS = 200
const LONGEST_MS = 3000
/** A live subscription tells each step; asking besides is for what fell between two connections. */
const FOLLOWED_MS = 15_000

/** Resolves when the command is done; see {@link Client.waitFor}. */
export async function waitForCommand(
  target: WaitTarget,
  ask: AskForCommand,
  news: CommandNews,
  options: WaitOptions = {},
): Promise<Command> {
  const { id, printerId } = idsOf(target)
  const timeoutMs = options.timeoutMs ?? WAIT_MS
  const deadline = deadlineOf(options.signal, timeoutMs, `the command was not done within ${timeoutMs} ms`)
  let heard: (command: Command) => void = () => undefined
  const told = new Promise<Command>((resolve) => {
    heard = resolve
  })
  const stop = news.listen(id, (command) => {
    if (isOver(command)) heard(command)
  })
  const poll = new AbortController()
  try {
    const asked = askUntilOver(
      () => ask({ id: printerId, command_id: id }, poll.signal),
      poll.signal,
      () => news.isFollowed(printerId),
    )
    asked.catch(() => undefined)
    return resultOf(await raceOf(deadline, told, asked))
  } finally {
    stop()
    poll.abort()
    deadline.end()
  }
}

const raceOf = (deadline: Deadline, ...commands: Promise<Command>[]): Promise<Command> =>
  deadline.race(Promise.race(commands))

function idsOf(target: WaitTarget): { id: string; printerId: number } {
  if (!('succeeded' in target)) return { id: target.id, printerId: target.printer_id }
  if (target.command_id !== null && target.succeeded) return { id: target.command_id, printerId: target.printer.id }
  throw new CommandError('not_sent', 'The command could not be handed to the printer, or none was needed.')
}

async function askUntilOver(
  ask: () => Promise<Command>,
  signal: AbortSignal,
  isFollowed: () => boolean,
): Promise<Command> {
  for (let delay = FIRST_MS; ; delay = Math.min(delay * 1.5, LONGEST_MS)) {
    // The command goes on without us, so a break of the connection is no reason to give up; the deadline is.
    const command = await ask().catch((error: unknown) => {
      if (error instanceof NetworkError) return undefined
      throw error
    })
    if (command !== undefined && isOver(command)) return command
    await pause(isFollowed() ? FOLLOWED_MS : delay, signal)
  }
}

const isOver = ({ status }: Command): boolean => status === 'done' || status === 'failed' || status === 'timed_out'

function resultOf(command: Command): Command {
  if (command.status === 'failed')
    throw new CommandError('failed', command.error ?? 'The printer could not do it.', command)
  if (command.status === 'timed_out') {
    throw new CommandError('timed_out', command.error ?? 'The printer did not do it in time.', command)
  }
  return command
}
