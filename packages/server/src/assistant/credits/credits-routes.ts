import { endpoints, MAX_CREDIT_ENTRIES } from '@printwarden/protocol'
import { ApiError } from '../../errors.js'
import type { Api } from '../../http/api.js'
import type { Database } from '../../ports.js'
import { listHeaders } from '../../prints/links.js'
import { findUser } from '../../users/store.js'
import type { CreditsFlow } from './credits-flow.js'
import { listEntries } from './credits-store.js'
import { entryView } from './credits-view.js'

export interface CreditsRoutesDeps {
  readonly database: Database
  readonly credits: CreditsFlow
}

/** Credits as their user sees them, and the book of them for administrators. */
export function creditsRoutes(api: Api, { database, credits }: CreditsRoutesDeps): void {
  const { db } = database

  api.handle(endpoints.getAssistantMe, async (_input, { user_id }) => {
    const user = await findUser(db, user_id)
    if (user === undefined) throw new ApiError('not_found')
    const { id, username, email, first_name, last_name } = user
    return { user: { id, username, email, first_name, last_name }, ai_credits: await credits.read(user_id) }
  })

  api.handle(endpoints.listAiCreditEntries, async ({ params, query }, _caller, { request, reply, origin }) => {
    if ((await findUser(db, params.id)) === undefined) throw new ApiError('not_found')
    const page = { start: query.start ?? 0, limit: query.limit ?? MAX_CREDIT_ENTRIES }
    const { rows, total } = await listEntries(db, params.id, page)
    void reply.headers(listHeaders(new URL(request.url, origin), { ...page, total }))
    return rows.map(entryView)
  })

  api.handle(endpoints.grantAiCredits, ({ params, body }) => credits.grant(params.id, body.amount, body.note ?? null))
}
