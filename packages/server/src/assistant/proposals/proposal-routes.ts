import { endpoints } from '@printwarden/protocol'
import type { Api } from '../../http/api.js'
import type { Clock, Database } from '../../ports.js'
import { listHeaders } from '../../prints/links.js'
import type { MediaUrls } from '../../prints/view.js'
import type { ConfirmFlow } from './confirm-flow.js'
import { countProposals, listProposals } from './proposal-store.js'
import { proposalView } from './proposal-view.js'

const DEFAULT_LIMIT = 100

export interface ProposalRoutesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly media: MediaUrls
  readonly decisions: ConfirmFlow
}

/** What the assistant proposed, and what its user says to it. */
export function proposalRoutes(api: Api, { database, clock, media, decisions }: ProposalRoutesDeps): void {
  const { db } = database

  api.handle(endpoints.listActionProposals, async ({ query }, { user_id }, { request, reply, origin }) => {
    const page = { start: query.start ?? 0, limit: query.limit ?? DEFAULT_LIMIT }
    const [rows, total] = await Promise.all([listProposals(db, user_id, page), countProposals(db, user_id)])
    void reply.headers(listHeaders(new URL(request.url, origin), { ...page, total }))
    const now = clock.now()
    return rows.map((row) => proposalView(row, now))
  })

  api.handle(endpoints.confirmActionProposal, ({ params }, caller, { origin }) =>
    decisions.confirm(caller, params.id, media.urls(origin)),
  )

  api.handle(endpoints.dismissActionProposal, ({ params }, caller) => decisions.dismiss(caller, params.id))
}
