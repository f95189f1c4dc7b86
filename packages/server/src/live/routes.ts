import { endpoints } from '@printwarden/protocol'
import type { Api } from '../http/api.js'
import { instantView } from '../prints/view.js'
import type { TicketFlow } from './ticket-flow.js'

/** The endpoint that opens the live websocket to browsers. */
export function liveRoutes(api: Api, { tickets }: { readonly tickets: TicketFlow }): void {
  api.handle(endpoints.createLiveTicket, async (_, caller) => {
    const { ticket, expires_at } = tickets.create(caller)
    return { ticket, expires_at: instantView(expires_at) }
  })
}
