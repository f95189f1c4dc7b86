import type { Clock, Database, Log } from '../../ports.js'
import type { DeviationKind } from './deviations.js'
import { addDeviations, type DeviationRow, listDeviations } from './deviations-store.js'

/** How often what was counted is written down. Who asks sees what this node has counted at once. */
const FLUSH_INTERVAL_MS = 60_000

interface Tally {
  count: number
  readonly first_seen_at: number
  last_seen_at: number
}

export interface DeviationsFlowDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
}

export type DeviationsFlow = ReturnType<typeof deviationsFlow>

/** Counts in what agents depart from the protocol. Counting is a look-up in memory; the kinds are few, so what is kept stays small. */
export function deviationsFlow({ database, clock, log }: DeviationsFlowDeps) {
  const { db } = database
  const counted = new Map<number, Map<DeviationKind, Tally>>()
  let timer: NodeJS.Timeout | undefined

  function note(printerId: number, kinds: readonly DeviationKind[]): void {
    const now = clock.now()
    let tallies = counted.get(printerId)
    if (tallies === undefined) counted.set(printerId, (tallies = new Map<DeviationKind, Tally>()))
    for (const kind of kinds) {
      const tally = tallies.get(kind)
      if (tally === undefined) tallies.set(kind, { count: 1, first_seen_at: now, last_seen_at: now })
      else {
        tally.count += 1
        tally.last_seen_at = now
      }
    }
    timer ??= setInterval(() => void flushAll(), FLUSH_INTERVAL_MS).unref()
  }

  /** Writes down what was counted of a printer. A count that cannot be written is lost: nothing depends on it. */
  async function flush(printer_id: number): Promise<void> {
    const tallies = counted.get(printer_id)
    if (tallies === undefined) return
    counted.delete(printer_id)
    const rows = [...tallies].map(([kind, tally]) => ({ printer_id, kind, ...tally }))
    await addDeviations(db, rows).catch((err: unknown) => {
      log.warn({ err, printer_id }, 'deviations of an agent could not be counted')
    })
  }

  async function flushAll(): Promise<void> {
    for (const printerId of [...counted.keys()]) await flush(printerId)
  }

  /** What was counted of a printer, by the names of the kinds. */
  async function list(printerId: number): Promise<DeviationRow[]> {
    await flush(printerId)
    return listDeviations(db, printerId)
  }

  /** Writes down what is left. */
  async function close(): Promise<void> {
    clearInterval(timer)
    timer = undefined
    await flushAll()
  }

  return { note, list, close }
}
