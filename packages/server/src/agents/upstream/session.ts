import type { StateFlags } from '@printwarden/protocol'

/** A command under way at an upstream agent, which knows no ids: what it does or replies is the answer. */
export type Awaited =
  | { readonly id: string; readonly cmd: 'pause' | 'resume' | 'cancel' }
  | { readonly id: string; readonly cmd: 'print'; readonly ref: string }

/** What has to be remembered between the messages of one upstream agent's connection. */
export interface UpstreamSession {
  /** Another start time by which the agent names a print that is known by `meant`. */
  readonly alias: { readonly told: number; readonly meant: number } | undefined
  /** The print of which the agent has told last that it was cancelled. */
  readonly cancelled: number | undefined
  readonly awaited: readonly Awaited[]
}

export const NEW_SESSION: UpstreamSession = { alias: undefined, cancelled: undefined, awaited: [] }

/** More are not waited for at once; the oldest is let go and runs out of time. */
const MAX_AWAITED = 16

export function awaiting(session: UpstreamSession, command: Awaited): UpstreamSession {
  return { ...session, awaited: [...session.awaited, command].slice(-MAX_AWAITED) }
}

/** Whether the flags show that the printer has taken the command up. */
const IS_TAKEN_UP: Record<'pause' | 'resume' | 'cancel', (flags: StateFlags) => boolean> = {
  pause: (flags) => flags.pausing || flags.paused,
  resume: (flags) => flags.resuming || (flags.printing && !flags.paused && !flags.pausing && !flags.cancelling),
  cancel: (flags) => flags.cancelling || (flags.operational && !flags.printing && !flags.paused && !flags.pausing),
}

/** The commands that this state answers, and the session without them. */
export function takenUp(
  session: UpstreamSession,
  flags: StateFlags,
): { readonly ids: readonly string[]; readonly session: UpstreamSession } {
  if (session.awaited.length === 0) return { ids: [], session }
  const isAnswered = (command: Awaited): boolean => command.cmd !== 'print' && IS_TAKEN_UP[command.cmd](flags)
  const ids = session.awaited.filter(isAnswered).map(({ id }) => id)
  if (ids.length === 0) return { ids, session }
  return { ids, session: { ...session, awaited: session.awaited.filter((command) => !isAnswered(command)) } }
}
