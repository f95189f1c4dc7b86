import { type AssistantMessage, endpoints } from '@printwarden/protocol'
import type { Api } from '../../http/api.js'
import { type MediaUrls, viewerOf } from '../../prints/view.js'
import { answerByEvents } from '../event-reply-flow.js'
import { hangUpSignal } from '../hang-up.js'
import { wantsStream } from '../stream.js'
import type { MessageFlow } from './message-flow.js'

const HEARTBEAT_MS = 15_000

export interface MessageRoutesDeps {
  readonly messages: MessageFlow
  readonly media: MediaUrls
  readonly heartbeatMs?: number
}

/** What the handler hands back when the stream has told what went wrong: it is not sent. */
const TOLD: AssistantMessage = { role: 'assistant', content: '' }

/** Questions to the assistant, answered whole or as they are made. */
export function messageRoutes(api: Api, { messages, media, heartbeatMs = HEARTBEAT_MS }: MessageRoutesDeps): void {
  api.handle(endpoints.sendChatMessage, async ({ query, body }, caller, { request, reply, origin }) => {
    const { user_id, scopes } = caller
    const reads = scopes.includes('read') ? { reader: { user_id, viewer: viewerOf(caller, origin, media) } } : {}
    const call = { userId: user_id, question: body, lang: query.lang, signal: hangUpSignal(reply.raw), ...reads }
    if (!wantsStream(request.headers.accept)) return { message: await messages.answer(call) }
    const made = await answerByEvents(reply, heartbeatMs, async ({ open, text, look }) => ({
      message: await messages.answer({ ...call, onTaken: open, onText: text, onLook: look }),
    }))
    return made ?? { message: TOLD }
  })
}
