import { type BatchFlow, batchFlow } from '../batch-flow.js'
import type { Database, Log } from '../ports.js'
import type { KeptReading } from './temperatures.js'
import { insertTemperatures } from './temperatures-store.js'

/** Nobody waits for them: who looks back at a print has what waits written first. */
const FLUSH_AFTER_MS = 5_000

export type TemperaturesFlow = BatchFlow<KeptReading>

/** Writes the temperatures of all printers' prints in batches: one commit in five seconds, however many print. */
export function temperaturesFlow(deps: { readonly database: Database; readonly log: Log }): TemperaturesFlow {
  return batchFlow({
    insert: (rows) => insertTemperatures(deps.database.db, rows),
    log: deps.log,
    lost: 'temperatures could not be written',
    flushAfterMs: FLUSH_AFTER_MS,
  })
}
