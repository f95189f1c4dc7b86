import { endpoints, MAX_SHOTS, type PrintShotAnswer } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import type { Api, Caller, Exchange } from '../http/api.js'
import type { Clock, Database } from '../ports.js'
import {
  countFeedback,
  countOpenFeedback,
  type FeedbackRow,
  findVisibleFeedback,
  listFeedback,
  setFeedbackAnswer,
} from './feedback-store.js'
import { listHeaders } from './links.js'
import { feedbackView, type MediaUrls } from './view.js'

export interface FeedbackRoutesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly media: MediaUrls
  /** What learns from answers. */
  readonly teaching: {
    answerShot(shot: FeedbackRow, answer: PrintShotAnswer | null, by: string | null): Promise<void>
  }
}

/** What answering the last open shot of a print is worth to existing clients (wire facts, section 1.6). */
const CREDIT = 2

/** Feedback on shots of prints. */
export function feedbackRoutes(api: Api, { database, clock, media, teaching }: FeedbackRoutesDeps): void {
  const { db } = database

  async function getVisible(caller: Caller, id: number): Promise<FeedbackRow> {
    const shot = await findVisibleFeedback(db, caller.user_id, id)
    if (shot === undefined) throw new ApiError('not_found')
    return shot
  }

  /** Keeps an answer. In one transaction, so that of two answers at once one is the last. */
  async function answer(id: number, to: PrintShotAnswer | null | undefined, caller: Caller, { origin }: Exchange) {
    const { shot, isLast } = await database.transaction(async (trx) => {
      const before = await findVisibleFeedback(trx, caller.user_id, id)
      if (before === undefined) throw new ApiError('not_found')
      if (to === undefined) return { shot: before, isLast: false }
      const after = await setFeedbackAnswer(trx, id, { answer: to, answered_at: to === null ? null : clock.now() })
      if (after === undefined) throw new ApiError('not_found')
      const isAnswered = before.answer === null && to !== null
      return { shot: after, isLast: isAnswered && (await countOpenFeedback(trx, after.print_id)) === 0 }
    })
    if (to !== undefined) await teaching.answerShot(shot, to, caller.email)
    return { instance: feedbackView(shot, media.urls(origin)), credited_dhs: isLast ? CREDIT : 0 }
  }

  api.handle(endpoints.listPrintShotFeedbacks, async ({ query }, caller, { request, reply, origin }) => {
    const selection = { printId: query.print_id }
    const page = { start: query.start ?? 0, limit: query.limit ?? MAX_SHOTS }
    const [shots, total] = await Promise.all([
      listFeedback(db, caller.user_id, selection, page),
      countFeedback(db, caller.user_id, selection),
    ])
    reply.headers(listHeaders(new URL(request.url, origin), { ...page, total }))
    const mediaUrl = media.urls(origin)
    return shots.map((shot) => feedbackView(shot, mediaUrl))
  })

  api.handle(endpoints.getPrintShotFeedback, async ({ params }, caller, { origin }) =>
    feedbackView(await getVisible(caller, params.id), media.urls(origin)),
  )
  api.handle(endpoints.updatePrintShotFeedback, ({ params, body }, caller, exchange) =>
    answer(params.id, body.answer, caller, exchange),
  )
  api.handle(endpoints.replacePrintShotFeedback, ({ params, body }, caller, exchange) =>
    answer(params.id, body.answer, caller, exchange),
  )
}
