import type { ServerResponse } from 'node:http'
import { finished, PassThrough } from 'node:stream'
import type { AssistantLook } from '@printwarden/protocol'
import type { FastifyReply } from 'fastify'
import { deltaEvent, errorEvent, HEARTBEAT, lookEvent, messageEvent } from './stream.js'

/** An answer that is told as it is made. */
export interface EventReply {
  /** Begins it: what goes wrong from then on is an event, and no answer as any other. */
  readonly open: () => void
  /** A piece of text, as the model says it. */
  readonly text: (text: string) => void
  readonly look: (look: AssistantLook) => void
}

/**
 * Answers with server-sent events: what `work` says and looks at, then the body that it makes, or why there is none. Resolves once all
 * is sent; with undefined when that was an error.
 * @throws what goes wrong before the answer has begun
 */
export async function answerByEvents<T>(
  reply: FastifyReply,
  heartbeatMs: number,
  work: (events: EventReply) => Promise<T>,
): Promise<T | undefined> {
  const events = new PassThrough()
  // Who hangs up is noticed by the connection; what is written from then on is lost.
  events.on('error', () => undefined)
  const heartbeat = setInterval(() => events.write(HEARTBEAT), heartbeatMs)
  let isOpen = false
  const open = (): void => {
    if (isOpen) return
    isOpen = true
    void reply.type('text/event-stream; charset=utf-8')
    void reply.headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    void reply.send(events)
    // So that the client sees that it has begun.
    events.write(HEARTBEAT)
  }
  try {
    const made = await work({
      open,
      text: (text) => events.write(deltaEvent(text)),
      look: (look) => events.write(lookEvent(look)),
    })
    open()
    events.write(messageEvent(made))
    return made
  } catch (error) {
    if (!isOpen) throw error
    events.write(errorEvent(error))
    return undefined
  } finally {
    clearInterval(heartbeat)
    events.end()
    if (isOpen) await ended(reply.raw)
  }
}

/** Resolves when everything is sent, or nobody is there any more. */
const ended = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    finished(response, () => resolve())
  })
