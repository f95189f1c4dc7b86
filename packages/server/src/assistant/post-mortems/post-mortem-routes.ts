import { endpoints, type PostMortem } from '@printwarden/protocol'
import { ApiError } from '../../errors.js'
import type { Api } from '../../http/api.js'
import type { MediaUrls } from '../../prints/view.js'
import { answerByEvents, type EventReply } from '../event-reply-flow.js'
import { hangUpSignal } from '../hang-up.js'
import { wantsStream } from '../stream.js'
import type { PostMortemFlow } from './post-mortem-flow.js'
import { postMortemView } from './post-mortem-view.js'

const HEARTBEAT_MS = 15_000

export interface PostMortemRoutesDeps {
  readonly postMortems: PostMortemFlow
  readonly media: MediaUrls
  readonly heartbeatMs?: number
}

/** What the handler hands back when the stream has told what went wrong: it is not sent. */
const TOLD: PostMortem = {
  ...{ print_id: 1, cause: '', certainty: 'unclear', answer: '', advice: [], moments: [], missing: [] },
  ...{ model: '', created_at: '1970-01-01T00:00:00.000Z' },
}

/** Why a print failed: asked, and read again. */
export function postMortemRoutes(api: Api, deps: PostMortemRoutesDeps): void {
  const { postMortems, media, heartbeatMs = HEARTBEAT_MS } = deps

  api.handle(endpoints.getPostMortem, async ({ params }, { user_id }, { origin }) => {
    return postMortemView(await postMortems.find(user_id, params.id), media.urls(origin))
  })

  api.handle(endpoints.createPostMortem, async ({ params, query }, { user_id: userId, scopes }, exchange) => {
    // The answer tells of the print, and has addresses of its pictures.
    if (!scopes.includes('read')) throw new ApiError('insufficient_scope', 'The token lacks the scope "read".')
    const { request, reply, origin } = exchange
    const call = { userId, printId: params.id, lang: query.lang, signal: hangUpSignal(reply.raw) }
    const ask = async (events?: EventReply): Promise<PostMortem> => {
      const told = events && { onTaken: events.open, onLook: events.look }
      return postMortemView(await postMortems.ask({ ...call, ...told }), media.urls(origin))
    }
    if (!wantsStream(request.headers.accept)) return ask()
    return (await answerByEvents(reply.code(201), heartbeatMs, ask)) ?? TOLD
  })
}
