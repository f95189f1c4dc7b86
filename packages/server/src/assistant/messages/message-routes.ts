import type { ServerResponse } from 'node:http'
import { finished, PassThrough } from 'node:stream'
import { type AssistantMessage, endpoints } from '@printwarden/protocol'
import type { FastifyReply } from 'fastify'
import type { Api } from '../../http/api.js'
import { type MediaUrls, viewerOf } from '../../prints/view.js'
import { hangUpSignal } from '../hang-up.js'
import type { MessageCall, MessageFlow } from './message-flow.js'
import { deltaEvent, errorEvent, HEARTBEAT, lookEvent, messageEvent, wantsStream } from './stream.js'

const HEARTBEAT_MS = 15_000

export interface MessageRoutesDeps {
  readonly messages: MessageFlow
  readonly media: MediaUrls
  readonly heartbeatMs?: number
}

/** Questions to the assistant, answered whole or as they are made. */
export function messageRoutes(api: Api, { messages, media, heartbeatMs = HEARTBEAT_MS }: MessageRoutesDeps): void {
  api.handle(endpoints.sendChatMessage, async ({ query, body }, caller, { request, reply, origin }) => {
    const { user_id, scopes } = caller
    const reads = scopes.includes('read') ? { reader: { user_id, viewer: viewerOf(caller, origin, media) } } : {}
    const call = { userId: user_id, question: body, lang: query.lang, signal: hangUpSignal(reply.raw), ...reads }
    if (wantsStream(request.headers.accept)) return { message: await stream(call, reply) }
    return { message: await messages.answer(call) }
  })

  /**
   * What goes wrong before the credit is taken is an answer as any other; from then on it is an event. Resolves with the message that
   * the stream has ended with, which is not sent again.
   */
  async function stream(call: MessageCall, reply: FastifyReply): Promise<AssistantMessage> {
    const events = new PassThrough()
    // Who hangs up is noticed by the connection; what is written from then on is lost.
    events.on('error', () => undefined)
    const heartbeat = setInterval(() => events.write(HEARTBEAT), heartbeatMs)
    let isOpen = false
    const open = (): void => {
      isOpen = true
      void reply.type('text/event-stream; charset=utf-8')
      void reply.headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      void reply.send(events)
      // So that the client sees that it has begun.
      events.write(HEARTBEAT)
    }
    try {
      const message = await messages.answer({
        ...call,
        onTaken: open,
        onText: (text) => events.write(deltaEvent(text)),
        onLook: (look) => events.write(lookEvent(look)),
      })
      events.write(messageEvent(message))
      return message
    } catch (error) {
      if (!isOpen) throw error
      events.write(errorEvent(error))
      return { role: 'assistant', content: '' }
    } finally {
      clearInterval(heartbeat)
      events.end()
      if (isOpen) await ended(reply.raw)
    }
  }
}

/** Resolves when everything is sent, or nobody is there any more. */
const ended = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    finished(response, () => resolve())
  })
