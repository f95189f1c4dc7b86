import { endpoints, MAX_SUPPORT_REQUESTS } from '@printwarden/protocol'
import type { Api } from '../../http/api.js'
import type { Database } from '../../ports.js'
import { listHeaders } from '../../prints/links.js'
import { wordsOf } from '../words.js'
import type { SupportFlow } from './support-flow.js'
import { countSupportRequests, listSupportRequests } from './support-store.js'
import { supportView } from './support-view.js'

export interface SupportRoutesDeps {
  readonly database: Database
  readonly support: SupportFlow
}

/** What users write to whoever runs the server. */
export function supportRoutes(api: Api, { database, support }: SupportRoutesDeps): void {
  const { db } = database

  api.handle(endpoints.contactSupport, async ({ query, body }, { user_id: userId, email }) => {
    const { message, include_diagnostics: withDiagnostics = false } = body
    await support.take({ userId, email, message, withDiagnostics })
    return { message: wordsOf(query.lang).supportSent }
  })

  api.handle(endpoints.listSupportRequests, async ({ query }, _caller, { request, reply, origin }) => {
    const page = { start: query.start ?? 0, limit: query.limit ?? MAX_SUPPORT_REQUESTS }
    const [rows, total] = await Promise.all([listSupportRequests(db, page), countSupportRequests(db)])
    void reply.headers(listHeaders(new URL(request.url, origin), { ...page, total }))
    return rows.map(supportView)
  })
}
