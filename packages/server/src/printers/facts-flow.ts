import { findCurrentPrint, type PrintRecord } from '../prints/store.js'
import type { Database, LiveStore } from '../ports.js'
import { liveFactsOf, liveKeysOf, NOTHING_LIVE } from './live-view.js'
import { listPrintersWithPrints, type PrinterRow } from './store.js'
import type { PrinterFacts } from './view.js'

export interface FactsFlowDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly secrets: { decrypt(text: string): string }
  readonly detection: { ready(): boolean; problem?(): string | null }
}

export type FactsFlow = ReturnType<typeof factsFlow>

/** Gathers what printers are shown from: rows, live values, the detector's state. The number of queries does not grow. */
export function factsFlow({ database, live, secrets, detection }: FactsFlowDeps) {
  const { quick } = database

  async function gather(
    printers: readonly PrinterRow[],
    prints: readonly PrintRecord[],
    withLive = true,
  ): Promise<PrinterFacts[]> {
    const ids = withLive ? printers.map(({ id }) => id) : []
    const liveFacts = liveFactsOf(ids, await live.getMany(liveKeysOf(ids)))
    const printById = new Map(prints.map((print) => [print.id, print]))
    const detectorReady = detection.ready()
    const detectorProblem = detection.problem?.() ?? null
    return printers.map((printer) => ({
      printer,
      authToken: secrets.decrypt(printer.auth_token_encrypted),
      print: printById.get(printer.current_print_id ?? 0) ?? null,
      live: liveFacts.get(printer.id) ?? NOTHING_LIVE,
      detectorReady,
      detectorProblem,
    }))
  }

  /** One printer. */
  async function ofPrinter(printer: PrinterRow): Promise<PrinterFacts> {
    const print = printer.current_print_id === null ? undefined : await findCurrentPrint(quick, printer.id)
    const [facts] = await gather([printer], print === undefined ? [] : [print])
    if (facts === undefined) throw new Error('facts of one printer are one')
    return facts
  }

  /** All of a user's printers. Without live values they are as if nothing was heard of them. */
  async function ofUser(
    userId: number,
    options: { withArchived: boolean; withLive?: boolean },
  ): Promise<PrinterFacts[]> {
    const { printers, prints } = await listPrintersWithPrints(quick, userId, options)
    return gather(printers, prints, options.withLive)
  }

  return { ofPrinter, ofUser }
}
