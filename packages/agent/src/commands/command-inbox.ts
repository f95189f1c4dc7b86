import type { CommandAck } from '@printwarden/protocol'

/** The commands of late and, once they are carried out, what was answered. Oldest first. */
export type CommandInbox = ReadonlyMap<string, CommandAck | 'running'>

export const NEW_INBOX: CommandInbox = new Map()

/** A server repeats a command within seconds, so this is ample. */
export const INBOX_LIMIT = 200

/** What to do with a command: carry it out, answer as before, or nothing, since it is being carried out. */
export type Receipt =
  | { readonly type: 'run'; readonly inbox: CommandInbox }
  | { readonly type: 'answer'; readonly ack: CommandAck }
  | { readonly type: 'wait' }

/** Receives a command; each id is carried out once, however often it comes. */
export function receiveCommand(inbox: CommandInbox, id: string, limit: number = INBOX_LIMIT): Receipt {
  const known = inbox.get(id)
  if (known === 'running') return { type: 'wait' }
  if (known) return { type: 'answer', ack: known }
  const kept = [...inbox].slice(-(limit - 1))
  return { type: 'run', inbox: new Map([...kept, [id, 'running']]) }
}

/** Keeps the answer, for when the command comes again. */
export function finishCommand(inbox: CommandInbox, ack: CommandAck): CommandInbox {
  return inbox.has(ack.ack.id) ? new Map([...inbox, [ack.ack.id, ack]]) : inbox
}

/** The answer to a command that the host has taken. */
export function doneAck(id: string, result: unknown = 'ok'): CommandAck {
  return { ack: { id, result } }
}

/** The answer to a command that was not carried out. */
export function failedAck(id: string, code: string, detail: string): CommandAck {
  return { ack: { id, error: { code, detail } } }
}
