import type { Database, LiveStore } from '../ports.js'
import { findCurrentPrint } from '../prints/store.js'
import type { ActionOutcome } from './action-flow.js'
import type { Actor } from './actor-flow.js'
import type { PrinterFlow } from './flow.js'
import { liveFactsOf, liveKeysOf } from './live-view.js'
import type { ManualPrintFlow } from './manual-print-flow.js'
import type { PrinterRow } from './store.js'

export interface PictureWatchFlowDeps {
  readonly database: Pick<Database, 'quick'>
  readonly live: LiveStore
  readonly printers: Pick<PrinterFlow, 'send'>
  readonly manualPrints: ManualPrintFlow
}

export type PictureWatchFlow = ReturnType<typeof pictureWatchFlow>

/** Whether nothing but a camera tells of this printer: its agent says so with each status. */
export async function isWatchedByPicture(live: Pick<LiveStore, 'getMany'>, printerId: number): Promise<boolean> {
  const facts = liveFactsOf([printerId], await live.getMany(liveKeysOf([printerId])))
  return facts.get(printerId)?.status?.watched_by === 'picture'
}

/**
 * Prints of which a person says when they begin and end. An agent that watches by picture alone keeps them itself, so that a restart or
 * a lost connection does not end them; where there is none, the server does.
 */
export function pictureWatchFlow({ database, live, printers, manualPrints }: PictureWatchFlowDeps) {
  async function start(printer: PrinterRow, filename: string, actor: Actor): Promise<ActionOutcome> {
    if (!(await isWatchedByPicture(live, printer.id))) return manualPrints.start(printer, filename)
    return printers.send(printer, { cmd: 'start_watching', args: { name: filename }, ...actor })
  }

  /** Ends the current print; undefined when nothing is being printed. */
  async function finish(
    printer: PrinterRow,
    status: 'success' | 'cancelled',
    actor: Actor,
  ): Promise<ActionOutcome | undefined> {
    if (!(await isWatchedByPicture(live, printer.id))) return manualPrints.finish(printer, status, actor)
    if ((await findCurrentPrint(database.quick, printer.id)) === undefined) return undefined
    const outcome = status === 'success' ? 'done' : 'cancelled'
    return printers.send(printer, { cmd: 'stop_watching', args: { outcome }, ...actor })
  }

  return { start, finish }
}
