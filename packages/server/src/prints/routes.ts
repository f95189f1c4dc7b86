import { type AlertOverwrite, endpoints, type Print } from '@printwarden/protocol'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import type { Api, Caller } from '../http/api.js'
import type { Clock, Database, LiveStore } from '../ports.js'
import { liveFactsOf, liveKeysOf, NOTHING_LIVE } from '../printers/live-view.js'
import { printerSummaryView } from '../printers/view.js'
import { TurnsById } from '../turns-by-id.js'
import { printColumns } from './changes.js'
import { listFeedbackOfPrints } from './feedback-store.js'
import { isFresh, versionHeaders, versionOf } from './freshness.js'
import { listHeaders } from './links.js'
import { isNearFront, pageOf, type PrintPage, type PrintSelection, selectionOf } from './listing.js'
import { countPrints, listAllPrints, type ListedPrints, listPrints } from './listing-store.js'
import { predictionJson } from './prediction-view.js'
import type { PrintRemovalFlow } from './removal-flow.js'
import { excessOf, planOf, runsOf, statsView } from './stats.js'
import { listDayTotals } from './stats-store.js'
import {
  findVisiblePrint,
  listPredictions,
  listPrintPrinters,
  type PrintRecord,
  summarizePredictions,
  updatePrint,
} from './store.js'
import { type MediaUrls, printView, type Viewer, viewerOf } from './view.js'

export interface PrintRoutesDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly clock: Clock
  readonly secrets: { decrypt(text: string): string }
  readonly media: MediaUrls
  readonly detection: { ready(): boolean; problem?(): string | null }
  readonly removal: PrintRemovalFlow
  /** What learns from answers to alerts. */
  readonly teaching: {
    answerPrint(
      printId: number,
      answer: AlertOverwrite | null,
      answering: { readonly source: 'overwrite'; readonly by: string | null },
    ): Promise<void>
  }
  /** Remembers that a caller is about to be shown these printers' auth_tokens. */
  readonly noteRead: (
    caller: Caller,
    printers: readonly { readonly id: number; readonly name: string; readonly auth_token_encrypted: string }[],
  ) => Promise<void>
  /** Takes in a user's own time-lapse from the form of a request. */
  readonly uploadTimelapse: (print: PrintRecord, request: FastifyRequest) => Promise<void>
  /** Asks for a print's time-lapse again. */
  readonly retryTimelapse: (print: PrintRecord) => Promise<void>
  /** Tells that a print of this printer was changed. */
  readonly changed: (printerId: number) => void
}

/** The endpoints of prints (specification, section 4.3). */
export function printRoutes(api: Api, deps: PrintRoutesDeps): void {
  const { database, live, clock, secrets, media, detection, removal, noteRead, changed, teaching } = deps
  const { db, quick } = database
  const statsTurns = new TurnsById()

  /** Shows prints with their printers and shots, by a few more reads however many there are. */
  async function show(prints: readonly PrintRecord[], caller: Caller, viewer: Viewer): Promise<Print[]> {
    const ids = [...new Set(prints.map(({ printer_id }) => printer_id))]
    const withShots = prints.filter(({ shots }) => shots > 0).map(({ id }) => id)
    const [printers, values, shots] = await Promise.all([
      listPrintPrinters(quick, ids),
      live.getMany(liveKeysOf(ids)),
      listFeedbackOfPrints(quick, withShots),
    ])
    await noteRead(caller, printers)
    const shotsOf = (print: PrintRecord) =>
      print.shots > 0 ? shots.filter(({ print_id }) => print_id === print.id) : []
    const liveFacts = liveFactsOf(ids, values)
    const detector = { detectorReady: detection.ready(), detectorProblem: detection.problem?.() ?? null }
    const now = clock.now()
    const summaries = new Map(
      printers.map((printer) => {
        const print = printer.current_print_id === null ? null : { alert_muted_at: printer.current_alert_muted_at }
        const authToken = secrets.decrypt(printer.auth_token_encrypted)
        const facts = { printer, print, authToken, ...detector, live: liveFacts.get(printer.id) ?? NOTHING_LIVE }
        return [printer.id, printerSummaryView(facts, viewer, now)]
      }),
    )
    return prints.map((print) => printView(print, summaries.get(print.printer_id) ?? null, shotsOf(print), viewer))
  }

  async function getVisible(caller: Caller, id: number): Promise<PrintRecord> {
    const print = await findVisiblePrint(quick, caller.user_id, id)
    if (print === undefined) throw new ApiError('not_found')
    return print
  }

  /** Nearly always the newest of all are asked for. */
  async function listed(userId: number, selection: PrintSelection, page: PrintPage): Promise<ListedPrints> {
    if (isNearFront(selection, page)) return listAllPrints(quick, userId, page)
    const [prints, total] = await Promise.all([
      listPrints(db, userId, selection, page),
      countPrints(db, userId, selection),
    ])
    return { prints, total }
  }

  api.handle(endpoints.listPrints, async ({ query }, caller, exchange) => {
    const selection = selectionOf(query)
    const page = pageOf(query)
    const { prints, total } = await listed(caller.user_id, selection, page)
    const url = new URL(exchange.request.url, exchange.origin)
    // Without `sorting`, `start` and `limit` are refused, so a link to the next page has to name it.
    if (query.sorting === undefined) url.searchParams.set('sorting', 'date_desc')
    exchange.reply.headers(listHeaders(url, { ...page, total }))
    return show(prints, caller, viewerOf(caller, exchange.origin, media))
  })

  async function showOne(caller: Caller, id: number, origin: string): Promise<Print> {
    const [print] = await show([await getVisible(caller, id)], caller, viewerOf(caller, origin, media))
    if (print === undefined) throw new ApiError('not_found')
    return print
  }

  api.handle(endpoints.getPrint, ({ params }, caller, { origin }) => showOne(caller, params.id, origin))

  api.handle(endpoints.updatePrint, async ({ params, body }, caller, { origin }) => {
    const print = await getVisible(caller, params.id)
    const columns = printColumns(body)
    if (Object.keys(columns).length > 0) {
      await updatePrint(db, print.id, columns)
      const { alert_overwrite: answer } = body
      if (answer !== undefined) await teaching.answerPrint(print.id, answer, { source: 'overwrite', by: caller.email })
      changed(print.printer_id)
    }
    return showOne(caller, params.id, origin)
  })

  api.handle(endpoints.deletePrint, async ({ params }, caller) => {
    if ((await removal.remove(caller.user_id, [params.id])) > 0) return
    await getVisible(caller, params.id)
    throw new ApiError('conflict', 'The print is still running. Cancel it first, then delete it.')
  })

  api.handle(endpoints.bulkDeletePrints, async ({ body }, caller) => ({
    deleted: await removal.remove(caller.user_id, body.print_ids),
  }))

  api.handle(endpoints.getPrintStats, async ({ query }, caller) => {
    const excess = excessOf(query)
    if (excess !== undefined) throw new ApiError('invalid_request', undefined, { issues: [excess] })
    // One after another, so that whoever asks for many takes neither the database nor this thread from others for as long.
    return statsTurns.run(caller.user_id, async () => {
      const plan = planOf(query)
      return statsView(plan, await listDayTotals(db, caller.user_id, selectionOf(query), runsOf(plan)))
    })
  })

  api.handle(endpoints.uploadTimelapse, async ({ params }, caller, { request, origin }) => {
    const print = await getVisible(caller, params.id)
    await deps.uploadTimelapse(print, request)
    changed(print.printer_id)
    return showOne(caller, params.id, origin)
  })

  api.handle(endpoints.retryTimelapse, async ({ params }, caller, { origin }) => {
    const print = await getVisible(caller, params.id)
    await deps.retryTimelapse(print)
    changed(print.printer_id)
    return showOne(caller, params.id, origin)
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
