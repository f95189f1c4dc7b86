import type { Database, Log } from '../ports.js'
import { insertPredictions, type NewPrediction } from './store.js'

/** How long a row may wait for others to be written with it. */
const FLUSH_AFTER_MS = 500
const BATCH_ROWS = 200
/** While the database does not take them, no more than this many wait. */
const MAX_WAITING = 5_000

export interface PredictionsFlowDeps {
  readonly database: Database
  readonly log: Log
}

export type PredictionsFlow = ReturnType<typeof predictionsFlow>

/** Writes prediction rows in batches: one commit for all printers' frames of half a second. */
export function predictionsFlow({ database, log }: PredictionsFlowDeps) {
  let waiting: NewPrediction[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function add(row: NewPrediction): void {
    if (waiting.length >= MAX_WAITING) waiting.shift()
    waiting.push(row)
    timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS)
  }

  /** Writes what waits. Resolves when it and everything before it is written; never rejects. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const rows = waiting
    waiting = []
    for (let start = 0; start < rows.length; start += BATCH_ROWS) {
      const batch = rows.slice(start, start + BATCH_ROWS)
      writing = writing.then(() => write(batch))
    }
    return writing
  }

  async function write(rows: readonly NewPrediction[]): Promise<void> {
    try {
      await insertPredictions(database.db, rows)
    } catch (err) {
      await writeEach(rows, err)
    }
  }

  /** One row that cannot be written, since its print was deleted meanwhile, must not take the others along. */
  async function writeEach(rows: readonly NewPrediction[], batchErr: unknown): Promise<void> {
    let written = 0
    for (const row of rows) {
      await insertPredictions(database.db, [row]).then(
        () => written++,
        () => undefined,
      )
    }
    const lost = rows.length - written
    if (lost > 0) log.warn({ err: batchErr, rows: lost }, 'predictions could not be written')
  }

  return { add, flush }
}
