import { type BatchFlow, batchFlow } from '../batch-flow.js'
import type { Database, Log } from '../ports.js'
import { insertPredictions, type NewPrediction } from './store.js'

const FLUSH_AFTER_MS = 500

export interface PredictionsFlowDeps {
  readonly database: Database
  readonly log: Log
}

export type PredictionsFlow = BatchFlow<NewPrediction>

/** Writes prediction rows in batches: one commit for all printers' frames of half a second. */
export function predictionsFlow({ database, log }: PredictionsFlowDeps): PredictionsFlow {
  return batchFlow({
    insert: (rows) => insertPredictions(database.db, rows),
    log,
    lost: 'predictions could not be written',
    flushAfterMs: FLUSH_AFTER_MS,
  })
}
