import { endpoints } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import type { Api } from '../http/api.js'
import { actorOf } from './actor-flow.js'
import { type PassthruFlowDeps, passthruFlow } from './passthru-flow.js'
import { findVisiblePrinter } from './store.js'

/** Calls of functions of existing agents (wire facts, section 3.4). */
export function passthruRoutes(api: Api, deps: PassthruFlowDeps): void {
  const { db } = deps.database
  const { call } = passthruFlow(deps)

  api.handle(endpoints.callAgent, async ({ params, body }, caller) => {
    const printer = await findVisiblePrinter(db, caller.user_id, params.id)
    if (printer === undefined) throw new ApiError('not_found')
    return call(printer, body, await actorOf(db, caller))
  })
}
