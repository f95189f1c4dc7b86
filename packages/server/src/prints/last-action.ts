import { type ActedBy, LastAction } from '@printwarden/protocol'
import type { Happening, TrackedPrint } from './tracked-print.js'

/** A command that may be behind what happened to a print: one of ours that the agent was given. */
export interface CommandBehind {
  readonly initiator: string
  readonly initiator_name: string | null
  readonly reason: string | null
  readonly alert_id: number | null
}

/** The command that makes a print do what happened; undefined for what no command does. */
export function commandFor(
  { type }: Happening,
  print: Pick<TrackedPrint, 'state'>,
): 'pause' | 'resume' | 'cancel' | undefined {
  if (type === 'PAUSED') return 'pause'
  if (type === 'RESUMED') return 'resume'
  return type === 'ENDED' && print.state !== 'finished' ? 'cancel' : undefined
}

/** The names under which that command is given: a print that is watched by picture alone is not cancelled, but told to have been. */
export function namesOf(cmd: 'pause' | 'resume' | 'cancel'): readonly string[] {
  return cmd === 'cancel' ? ['cancel', 'stop_watching'] : [cmd]
}

const ACTIONS = { pause: 'paused', resume: 'resumed', cancel: 'cancelled' } as const
const ACTORS: Readonly<Record<string, ActedBy>> = { system: 'system', web: 'user', api: 'app' }

/**
 * Who made it happen: whoever gave the command behind it, else somebody at the printer. A failed print is nobody's doing, and of an
 * end that was only assumed nobody knows.
 */
export function actionOf(
  happening: Happening,
  print: TrackedPrint,
  command: CommandBehind | undefined,
): LastAction | undefined {
  const cmd = commandFor(happening, print)
  if (cmd === undefined || happening.isFoundAgain === true) return undefined
  const isUnknown = print.state === 'failed' || print.end_assumed
  if (command === undefined && happening.type === 'ENDED' && isUnknown) return undefined
  return {
    action: ACTIONS[cmd],
    by: command === undefined ? 'printer' : (ACTORS[command.initiator] ?? 'printer'),
    name: command?.initiator_name ?? null,
    reason: command?.reason ?? null,
    alert_id: command?.alert_id ?? null,
    at: new Date(happening.at).toISOString(),
  }
}

/** What the row of a print keeps of it, as JSON text. */
export function lastActionOf(stored: string | null): LastAction | null {
  return stored === null ? null : LastAction.parse(JSON.parse(stored))
}

/** The reason of what a user confirmed because the assistant proposed it. */
export const BY_ASSISTANT = 'assistant'

/** Who it was, as the end of a sentence: "was paused …". */
export function byWords({ by, name, reason }: Pick<LastAction, 'by' | 'name' | 'reason'>): string {
  switch (by) {
    case 'system':
      return reason === 'failing' ? 'by Printwarden, because it looked like a failure' : 'by Printwarden'
    case 'user':
      return `by ${name ?? 'you'}${reason === BY_ASSISTANT ? ', as the assistant proposed' : ''}`
    case 'app':
      return name === null ? 'by an app' : `by the app ${name}`
    case 'printer':
      return 'at the printer or by its file'
  }
}
