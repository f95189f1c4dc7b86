import type { Log } from './ports.js'

export interface BatchDeps<Row> {
  /** Writes some rows, all or none. */
  readonly insert: (rows: readonly Row[]) => Promise<void>
  readonly log: Log
  /** What is said in the log of rows that could not be written. */
  readonly lost: string
  /** How long a row may wait for others to be written with it, in milliseconds. */
  readonly flushAfterMs: number
}

const BATCH_ROWS = 200
/** While the database does not take them, no more than this many wait. */
const MAX_WAITING = 5_000

export interface BatchFlow<Row> {
  add(row: Row): void
  /** Writes what waits. Resolves when it and everything before it is written; never rejects. */
  flush(): Promise<void>
}

/** Writes rows in batches: one commit for those of all printers in a while. */
export function batchFlow<Row>({ insert, log, lost, flushAfterMs }: BatchDeps<Row>): BatchFlow<Row> {
  let waiting: Row[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function add(row: Row): void {
    if (waiting.length >= MAX_WAITING) waiting.shift()
    waiting.push(row)
    timer ??= setTimeout(() => void flush(), flushAfterMs)
  }

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

  async function write(rows: readonly Row[]): Promise<void> {
    try {
      await insert(rows)
    } catch (err) {
      await writeEach(rows, err)
    }
  }

  /** One row that cannot be written, since its print was deleted meanwhile, must not take the others along. */
  async function writeEach(rows: readonly Row[], batchErr: unknown): Promise<void> {
    let written = 0
    for (const row of rows) {
      await insert([row]).then(
        () => written++,
        () => undefined,
      )
    }
    const gone = rows.length - written
    if (gone > 0) log.warn({ err: batchErr, rows: gone }, lost)
  }

  return { add, flush }
}
