import {
  type CommandName,
  type CommandStatus,
  type PauseArgs,
  PrinterFiles,
  type PrinterStatus,
  type StateFlags,
} from '@printwarden/protocol'
import type { PrinterRow } from './store.js'

/** An agent takes a command at once or not at all; after this long it must not carry it out any more. */
export const ACK_TIMEOUT_MS = 30_000

/**
 * How long the printer may take to show that it obeyed. Firmware finishes what it is doing first: a pause during a heat-up waits
 * for the bed, a resume heats again what the pause turned off, and a print begins with its download.
 */
const SEEN_TIMEOUT_MS: Record<CommandName, number> = {
  pause: 10 * 60_000,
  resume: 15 * 60_000,
  cancel: 10 * 60_000,
  print: 30 * 60_000,
  snapshot: ACK_TIMEOUT_MS,
  connect: 2 * 60_000,
  start_watching: ACK_TIMEOUT_MS,
  stop_watching: ACK_TIMEOUT_MS,
  emergency_stop: 60_000,
  restart_firmware: 2 * 60_000,
  exclude_object: ACK_TIMEOUT_MS,
  answer_prompt: ACK_TIMEOUT_MS,
  list_files: ACK_TIMEOUT_MS,
  print_file: 30 * 60_000,
}

/** An agent that fetches a file says so at least this often: for as long a status counts. */
const WORKING_TIMEOUT_MS = 120_000

/** Whether the state shows that the agent is carrying the command out: it answers a print only once the file has been fetched. */
export function isWorkedOn(cmd: CommandName, status: PrinterStatus): boolean {
  return cmd === 'print' && status.state.text === 'G-Code Downloading'
}

/** A printer that has not paused by then was not told to, or did not obey. */
export const PAUSE_TIMEOUT_MS = ACK_TIMEOUT_MS + SEEN_TIMEOUT_MS.pause

/** No command is waited for longer than this. */
export const LONGEST_TIMEOUT_MS = ACK_TIMEOUT_MS + Math.max(...Object.values(SEEN_TIMEOUT_MS))

/** A command of which more is to be heard. */
export interface PendingCommand {
  readonly id: string
  readonly printer_id: number
  readonly cmd: CommandName
  readonly status: Extract<CommandStatus, 'sent' | 'acked'>
  readonly created_at: number
  readonly acked_at: number | null
  /** When the printer's state last showed that the agent is at it, though it has not answered yet. */
  readonly working_at?: number
}

/** Until when the next step of the command may come. */
export function deadlineOf(command: PendingCommand): number {
  if (command.status === 'sent') {
    return Math.max(command.created_at + ACK_TIMEOUT_MS, (command.working_at ?? -Infinity) + WORKING_TIMEOUT_MS)
  }
  return (command.acked_at ?? command.created_at) + SEEN_TIMEOUT_MS[command.cmd]
}

const isChanging = (flags: StateFlags): boolean =>
  flags.pausing || flags.resuming || flags.cancelling || flags.finishing

// A pausing or cancelling printer still has the flag `printing`.
const isSteadilyPrinting = (flags: StateFlags): boolean => flags.printing && !flags.paused && !isChanging(flags)

const isAtRest = (flags: StateFlags): boolean =>
  flags.operational && !flags.printing && !flags.paused && !isChanging(flags)

const isNever = (): boolean => false

/** How each command shows. The flags decide: texts and flags change at different moments. A snapshot shows in no state. */
const IS_SEEN: Record<CommandName, (flags: StateFlags) => boolean> = {
  pause: (flags) => flags.paused,
  resume: isSteadilyPrinting,
  print: isSteadilyPrinting,
  cancel: isAtRest,
  snapshot: isNever,
  connect: (flags) => flags.operational,
  start_watching: isSteadilyPrinting,
  stop_watching: isAtRest,
  emergency_stop: (flags) => !flags.operational,
  restart_firmware: (flags) => flags.operational,
  exclude_object: isNever,
  answer_prompt: isNever,
  list_files: isNever,
  print_file: isSteadilyPrinting,
}

/** Whether the printer's state shows that it obeyed. */
export function isSeenIn(cmd: CommandName, status: PrinterStatus): boolean {
  return IS_SEEN[cmd](status.state.flags)
}

/** Whether a state from before the agent's answer may show it: a printer whose firmware is restarted may have been well before. */
export function isSeenUnanswered(cmd: CommandName): boolean {
  return cmd !== 'restart_firmware'
}

/** What an agent's acknowledgement makes of a command. What shows in no state is done by it. */
export function afterAck(cmd: CommandName, error: unknown): Extract<CommandStatus, 'acked' | 'done' | 'failed'> {
  if (error !== undefined) return 'failed'
  return IS_SEEN[cmd] === isNever ? 'done' : 'acked'
}

/** The error of an agent whose answer is not what was asked for. */
const BAD_ANSWER = { code: 'bad_answer', detail: 'The agent did not answer with a list of files.' }

/** What an agent's answer says: what is kept of its result, and why it counts as a refusal, if it does. */
export function readAnswer(
  cmd: CommandName,
  answer: {
    readonly result?: unknown
    readonly error?: { readonly code: string; readonly detail: string } | undefined
  },
): { readonly result: string | null; readonly error: { readonly code: string; readonly detail: string } | undefined } {
  if (answer.error !== undefined || cmd !== 'list_files') return { result: null, error: answer.error }
  const files = PrinterFiles.safeParse(answer.result)
  return files.success ? { result: JSON.stringify(files.data), error: undefined } : { result: null, error: BAD_ANSWER }
}

/** How this printer's prints are parked. The two switches are sent only when they are on (wire facts, section 3.3). */
export function pauseArgs(
  printer: Pick<PrinterRow, 'retract_on_pause' | 'lift_z_on_pause' | 'tools_off_on_pause' | 'bed_off_on_pause'>,
): PauseArgs {
  return {
    retract: printer.retract_on_pause,
    lift_z: printer.lift_z_on_pause,
    ...(printer.tools_off_on_pause === 0 ? {} : { tools_off: true }),
    ...(printer.bed_off_on_pause === 0 ? {} : { bed_off: true }),
  }
}
