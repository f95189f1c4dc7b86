import { endpoints } from '@printwarden/protocol'
import type { Api } from '../http/api.js'

/** Nothing here inspects first layers; existing clients ask all the same (wire facts, section 1.15). */
export function firstLayerRoutes(api: Api): void {
  api.handle(endpoints.listFirstLayerImages, async (_input, _caller, { reply }) => {
    reply.header('x-total-count', 0)
    return []
  })
}
