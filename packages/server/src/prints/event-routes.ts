import { endpoints } from '@printwarden/protocol'
import type { Api } from '../http/api.js'
import type { Database } from '../ports.js'
import { eventTypesOf } from './event-types.js'
import { countPrinterEvents, listPrinterEvents } from './events-store.js'
import { listHeaders } from './links.js'
import { type MediaUrls, printerEventView } from './view.js'

/** How many events an answer holds unless asked otherwise (wire facts, section 1.11). */
const DEFAULT_LIMIT = 12

/** The history of the user's printers. */
export function printerEventRoutes(
  api: Api,
  { database, media }: { readonly database: Database; readonly media: MediaUrls },
): void {
  api.handle(endpoints.listPrinterEvents, async ({ query }, caller, { request, reply, origin }) => {
    const selection = {
      printerId: query.printer_id,
      printId: query.print_id,
      classes: query['filter_by_classes[]'],
      types: eventTypesOf(query['filter_by_types[]']),
    }
    const page = { start: query.start ?? 0, limit: query.limit ?? DEFAULT_LIMIT }
    const [events, total] = await Promise.all([
      listPrinterEvents(database.db, caller.user_id, selection, page),
      countPrinterEvents(database.db, caller.user_id, selection),
    ])
    reply.headers(listHeaders(new URL(request.url, origin), { ...page, total }))
    const mediaUrl = media.urls(origin)
    return events.map((event) => printerEventView(event, mediaUrl))
  })
}
