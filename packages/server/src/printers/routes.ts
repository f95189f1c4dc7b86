import { type ActionResult, endpoints, type Printer } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import type { Api, Caller, Exchange } from '../http/api.js'
import type { Bus, Clock, Database } from '../ports.js'
import { type MediaUrls, viewerOf } from '../prints/view.js'
import { type Actor, actorOf } from './actor-flow.js'
import type { ActionFlow, ActionOutcome } from './action-flow.js'
import { type AuthTokenSecrets, addPrinter } from './add-flow.js'
import type { AuthTokenFlow } from './auth-token-flow.js'
import { printerColumns } from './changes.js'
import { findCommand } from './commands-store.js'
import type { FactsFlow } from './facts-flow.js'
import type { PictureWatchFlow } from './picture-watch-flow.js'
import type { SteeringFlow } from './steering-flow.js'
import { findVisiblePrinter, type PrinterRow } from './store.js'
import { whenceOf } from '../users/whence.js'
import { commandView, type PrinterFacts, printerView } from './view.js'

export interface PrinterRoutesDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: AuthTokenSecrets
  readonly media: MediaUrls
  readonly facts: FactsFlow
  readonly actions: ActionFlow
  readonly pictureWatch: PictureWatchFlow
  readonly steering: SteeringFlow
  readonly authTokens: AuthTokenFlow
}

/** The endpoints of printers (specification, section 4.2). */
export function printerRoutes(api: Api, deps: PrinterRoutesDeps): void {
  const { database, clock, media, facts, actions, pictureWatch, steering, authTokens } = deps
  const { db, quick } = database

  async function getVisible(caller: Caller, id: number): Promise<PrinterRow> {
    const printer = await findVisiblePrinter(quick, caller.user_id, id)
    if (printer === undefined) throw new ApiError('not_found')
    return printer
  }

  function show(known: PrinterFacts, caller: Caller, { origin }: Exchange): Printer {
    return printerView(known, viewerOf(caller, origin, media), clock.now())
  }

  async function showNow(printer: PrinterRow | undefined, caller: Caller, exchange: Exchange): Promise<Printer> {
    if (printer === undefined) throw new ApiError('not_found')
    await authTokens.noteRead(caller, [printer], whenceOf(exchange.request))
    return show(await facts.ofPrinter(printer), caller, exchange)
  }

  /** Runs an action on a printer of the caller's and answers with the printer as it is then. */
  async function act(
    id: number,
    caller: Caller,
    exchange: Exchange,
    action: (printer: PrinterRow, actor: Actor) => Promise<ActionOutcome>,
  ): Promise<ActionResult> {
    // At once, since whoever asks waits for both.
    const [printer, actor] = await Promise.all([getVisible(caller, id), actorOf(quick, caller)])
    const outcome = await action(printer, actor)
    const updated = await findVisiblePrinter(quick, caller.user_id, id)
    return { ...outcome, printer: await showNow(updated, caller, exchange) }
  }

  api.handle(endpoints.listPrinters, async ({ query }, caller, exchange) => {
    const known = await facts.ofUser(caller.user_id, { withArchived: query.with_archived ?? false })
    exchange.reply.header('x-total-count', known.length)
    const printers = known.map(({ printer }) => printer)
    await authTokens.noteRead(caller, printers, whenceOf(exchange.request))
    return known.map((one) => show(one, caller, exchange))
  })

  api.handle(endpoints.createPrinter, async ({ body }, caller, exchange) => {
    const { printer } = await addPrinter(deps, caller.user_id, body)
    return showNow(printer, caller, exchange)
  })

  api.handle(endpoints.getPrinter, async ({ params }, caller, exchange) => {
    return showNow(await getVisible(caller, params.id), caller, exchange)
  })

  api.handle(endpoints.updatePrinter, async ({ params, body }, caller, exchange) => {
    // Whose it is, is asked by the statement that changes it.
    const own = { id: params.id, user_id: caller.user_id }
    return showNow(await actions.update(own, printerColumns(body)), caller, exchange)
  })

  api.handle(endpoints.deletePrinter, async ({ params }, caller) => {
    if (!(await actions.remove(await getVisible(caller, params.id)))) throw new ApiError('not_found')
  })

  api.handle(endpoints.archivePrinter, async ({ params }, caller, exchange) => {
    const printer = await getVisible(caller, params.id)
    if (printer.archived_at !== null) return showNow(printer, caller, exchange)
    return showNow(await actions.update(printer, { archived_at: clock.now() }), caller, exchange)
  })

  api.handle(endpoints.unarchivePrinter, async ({ params }, caller, exchange) => {
    const printer = await getVisible(caller, params.id)
    if (printer.archived_at === null) return showNow(printer, caller, exchange)
    return showNow(await actions.update(printer, { archived_at: null }), caller, exchange)
  })

  api.handle(endpoints.pausePrint, ({ params }, caller, exchange) => act(params.id, caller, exchange, actions.pause))
  api.handle(endpoints.resumePrint, ({ params }, caller, exchange) => act(params.id, caller, exchange, actions.resume))
  api.handle(endpoints.cancelPrint, ({ params }, caller, exchange) => act(params.id, caller, exchange, actions.cancel))
  api.handle(endpoints.connectPrinter, ({ params }, caller, exchange) =>
    act(params.id, caller, exchange, actions.connect),
  )
  api.handle(endpoints.rearmPrinter, ({ params }, caller, exchange) => act(params.id, caller, exchange, actions.rearm))

  api.handle(endpoints.emergencyStop, ({ params }, caller, exchange) =>
    act(params.id, caller, exchange, steering.emergencyStop),
  )
  api.handle(endpoints.restartFirmware, ({ params }, caller, exchange) =>
    act(params.id, caller, exchange, steering.restartFirmware),
  )
  api.handle(endpoints.excludeObject, ({ params, body }, caller, exchange) =>
    act(params.id, caller, exchange, (printer, actor) => steering.excludeObject(printer, body.name, actor)),
  )
  api.handle(endpoints.answerPrompt, ({ params, body }, caller, exchange) =>
    act(params.id, caller, exchange, (printer, actor) => steering.answerPrompt(printer, body, actor)),
  )
  api.handle(endpoints.listFiles, ({ params }, caller, exchange) =>
    act(params.id, caller, exchange, steering.listFiles),
  )
  api.handle(endpoints.printFile, ({ params, body }, caller, exchange) =>
    act(params.id, caller, exchange, (printer, actor) =>
      steering.printFile(printer, { path: body.path, origin: body.origin ?? 'local' }, actor),
    ),
  )

  api.handle(endpoints.muteCurrentPrint, ({ params, query }, caller, exchange) => {
    return act(params.id, caller, exchange, (printer) => actions.mute(printer, query.mute_alert ?? true))
  })

  api.handle(endpoints.acknowledgeAlert, ({ params, query }, caller, exchange) => {
    return act(params.id, caller, exchange, (printer, actor) =>
      actions.acknowledgeAlert(printer, query.alert_overwrite, actor),
    )
  })

  api.handle(endpoints.startPrint, ({ params, body }, caller, exchange) => {
    return act(params.id, caller, exchange, (printer, actor) => pictureWatch.start(printer, body.filename, actor))
  })

  api.handle(endpoints.finishPrint, ({ params, body }, caller, exchange) => {
    return act(params.id, caller, exchange, async (printer, actor) => {
      const outcome = await pictureWatch.finish(printer, body.status, actor)
      if (outcome === undefined) throw new ApiError('not_found')
      return outcome
    })
  })

  api.handle(endpoints.rotateAuthToken, async ({ params }, caller, { request, reply }) => {
    void reply.header('cache-control', 'no-store')
    const printer = await getVisible(caller, params.id)
    return { id: printer.id, auth_token: await authTokens.rotate(printer, whenceOf(request)) }
  })

  api.handle(endpoints.getCommand, async ({ params }, caller) => {
    const printer = await getVisible(caller, params.id)
    const command = await findCommand(db, printer.id, params.command_id)
    if (command === undefined) throw new ApiError('not_found')
    return commandView(command)
  })
}
