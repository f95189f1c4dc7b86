import type { AssistantLook, AssistantStreamEvent } from '@printwarden/protocol'
import { problemOf } from '../http/error-body.js'

// The text of an answer that is streamed: server-sent events, each with one JSON object.

/** Keeps proxies from taking a model that thinks for a connection that is dead. */
export const HEARTBEAT = ': still here\n\n'

const event = (name: AssistantStreamEvent, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

export const deltaEvent = (text: string): string => event('delta', { text })
export const lookEvent = (look: AssistantLook): string => event('look', look)
/** The body that is answered where nobody asks for a stream. */
export const messageEvent = (body: unknown): string => event('message', body)
export const errorEvent = (error: unknown): string => event('error', problemOf(error).body)

/** Whether a client asks for a stream. */
export const wantsStream = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((type) => type.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream')
