import { endpoints } from '@printwarden/protocol'
import { ApiError } from '../../errors.js'
import type { Api } from '../../http/api.js'
import type { Database } from '../../ports.js'
import { findVisiblePrinter } from '../../printers/store.js'
import { deviationViews } from './deviations.js'
import type { DeviationsFlow } from './deviations-flow.js'

export interface DeviationRoutesDeps {
  readonly database: Database
  readonly deviations: Pick<DeviationsFlow, 'list'>
}

/** In what the agents of a user's printers depart from the protocol. */
export function deviationRoutes(api: Api, { database, deviations }: DeviationRoutesDeps): void {
  api.handle(endpoints.listDeviations, async ({ params }, caller, { reply }) => {
    const printer = await findVisiblePrinter(database.db, caller.user_id, params.id)
    if (printer === undefined) throw new ApiError('not_found')
    const views = deviationViews(await deviations.list(printer.id))
    reply.header('x-total-count', views.length)
    return views
  })
}
