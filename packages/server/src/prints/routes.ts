import { endpoints, type Print } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import type { Api, Caller } from '../http/api.js'
import type { Clock, Database, LiveStore } from '../ports.js'
import { liveFactsOf, liveKeysOf, NOTHING_LIVE } from '../printers/live-view.js'
import { printerSummaryView } from '../printers/view.js'
import { isFresh, versionHeaders, versionOf } from './freshness.js'
import { listHeaders } from './links.js'
import { pageOf, selectionOf } from './listing.js'
import { predictionJson } from './prediction-view.js'
import {
  countPrints,
  findVisiblePrint,
  listPredictions,
  listPrintPrinters,
  listPrints,
  type PrintRecord,
  summarizePredictions,
} from './store.js'
import { type MediaUrls, printView, type Viewer, viewerOf } from './view.js'

export interface PrintRoutesDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly clock: Clock
  readonly secrets: { decrypt(text: string): string }
  readonly media: MediaUrls
  readonly detection: { ready(): boolean }
}

/** The endpoints of prints (specification, section 4.3). */
export function printRoutes(api: Api, { database, live, clock, secrets, media, detection }: PrintRoutesDeps): void {
  const { db } = database

  /** Shows prints with their printers, by two more reads however many there are. */
  async function show(prints: readonly PrintRecord[], viewer: Viewer): Promise<Print[]> {
    const ids = [...new Set(prints.map(({ printer_id }) => printer_id))]
    const [printers, values] = await Promise.all([listPrintPrinters(db, ids), live.getMany(liveKeysOf(ids))])
    const liveFacts = liveFactsOf(ids, values)
    const detectorReady = detection.ready()
    const now = clock.now()
    const summaries = new Map(
      printers.map(({ current_alert_muted_at, ...printer }) => {
        const print = printer.current_print_id === null ? null : { alert_muted_at: current_alert_muted_at }
        const authToken = secrets.decrypt(printer.auth_token_encrypted)
        const facts = { printer, print, authToken, detectorReady, live: liveFacts.get(printer.id) ?? NOTHING_LIVE }
        return [printer.id, printerSummaryView(facts, viewer, now)]
      }),
    )
    return prints.map((print) => printView(print, summaries.get(print.printer_id) ?? null, viewer))
  }

  async function getVisible(caller: Caller, id: number): Promise<PrintRecord> {
    const print = await findVisiblePrint(db, caller.user_id, id)
    if (print === undefined) throw new ApiError('not_found')
    return print
  }

  api.handle(endpoints.listPrints, async ({ query }, caller, exchange) => {
    const selection = selectionOf(query)
    const page = pageOf(query)
    const [prints, total] = await Promise.all([
      listPrints(db, caller.user_id, selection, page),
      countPrints(db, caller.user_id, selection),
    ])
    const url = new URL(exchange.request.url, exchange.origin)
    // Without `sorting`, `start` and `limit` are refused, so a link to the next page has to name it.
    if (query.sorting === undefined) url.searchParams.set('sorting', 'date_desc')
    exchange.reply.headers(listHeaders(url, { ...page, total }))
    return show(prints, viewerOf(caller, exchange.origin, media))
  })

  api.handle(endpoints.getPrint, async ({ params }, caller, exchange) => {
    const [print] = await show([await getVisible(caller, params.id)], viewerOf(caller, exchange.origin, media))
    if (print === undefined) throw new ApiError('not_found')
    return print
  })

  api.handle(endpoints.getPredictionJson, async ({ params }, caller, { request, reply }) => {
    const print = await getVisible(caller, params.id)
    const { count, last_at } = await summarizePredictions(db, print.id)
    const version = versionOf(count, last_at)
    reply.headers(versionHeaders(version))
    if (isFresh(version, request.headers)) {
      reply.code(304)
      return []
    }
    return predictionJson(await listPredictions(db, print.id))
  })
}
