import { parentPort, workerData } from 'node:worker_threads'
import { DatabaseSync } from '@photostructure/sqlite'
import type {
  FromWorker,
  SqlValue,
  StatementReply,
  StatementRequest,
  ToWorker,
  WorkerOptions,
} from './database-embedded-messages.js'
import { CLOSE } from './database-embedded-messages.js'
import { allRows, type Prepared, statementCache } from './database-embedded-rows.js'

// SQLite's own thread: it opens the file, answers statements in the order in which they come, and keeps compiled ones.

/** Answers wait for those after them no longer than this. */
const REPLY_AFTER_MS = 2

const port = parentPort
if (port === null) throw new Error('database-embedded-worker runs only as a worker thread')
const reply = (message: FromWorker): void => port.postMessage(message)

function open({ file }: WorkerOptions): InstanceType<typeof DatabaseSync> {
  const database = new DatabaseSync(file)
  // FULL: a commit is on the disk before it is answered, so that a power cut loses nothing acknowledged.
  database.exec(`
    pragma busy_timeout = 5000;
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma trusted_schema = off;
  `)
  return database
}

function run(prepare: (sql: string) => Prepared, { id, sql, parameters }: StatementRequest): StatementReply {
  try {
    const prepared = prepare(sql)
    if (prepared.columns.length > 0) {
      return { id, columns: prepared.columns, values: allRows(prepared, parameters).flat() }
    }
    const { changes, lastInsertRowid } = prepared.statement.run(...(parameters as SqlValue[]))
    return { id, changes, insertId: lastInsertRowid }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
    return { id, error: { message, code } }
  }
}

const CHANGES_ROWS = /^\s*(insert|update|delete)\b/i
const ENDS_OR_BEGINS = /^\s*(begin|commit|rollback)\b/i

/** Whether a transaction is open after its `begin`, `commit` or `rollback`. One that cannot be rolled back is none. */
function isOpenAfter(sql: string, result: StatementReply): boolean {
  if (/^\s*begin/i.test(sql)) return !('error' in result)
  return /^\s*commit/i.test(sql) && 'error' in result
}

/**
 * Runs statements in order. Changes that came together are committed together: one wait for the disk instead of one each. Each is
 * still on its own, so that one that is refused leaves the others as they are; none is answered before the commit.
 */
function statementRunner(database: InstanceType<typeof DatabaseSync>): (requests: readonly StatementRequest[]) => void {
  const prepare = statementCache(database)
  /** Whether the main thread has a transaction open. */
  let isTheirs = false

  /** Commits, or says of each statement that it came to nothing. */
  function commit(replies: readonly StatementReply[]): readonly StatementReply[] {
    const committed = run(prepare, { id: 0, sql: 'commit', parameters: [] })
    if (!('error' in committed)) return replies
    // A full disk has made SQLite roll back by itself, and what it said then is the better reason.
    run(prepare, { id: 0, sql: 'rollback', parameters: [] })
    const refused = replies.find((one) => 'error' in one)
    const { error } = refused !== undefined && 'error' in refused ? refused : committed
    return replies.map(({ id }) => ({ id, error }))
  }

  return (requests) => {
    let replies: StatementReply[] = []
    let isOurs = false
    let since = performance.now()
    const answer = (): void => {
      if (replies.length > 0) reply(isOurs ? commit(replies) : replies)
      replies = []
      isOurs = false
      since = performance.now()
    }
    for (const request of requests) {
      const isBoundary = ENDS_OR_BEGINS.test(request.sql)
      if (isOurs && isBoundary) answer()
      if (!isOurs && !isTheirs && requests.length > 1 && CHANGES_ROWS.test(request.sql)) {
        answer()
        isOurs = !('error' in run(prepare, { id: 0, sql: 'begin immediate', parameters: [] }))
      }
      const result = run(prepare, request)
      if (isBoundary) isTheirs = isOpenAfter(request.sql, result)
      replies.push(result)
      // After some errors SQLite has rolled back by itself: what follows must not take part in that.
      if ('error' in result || (!isOurs && performance.now() - since >= REPLY_AFTER_MS)) answer()
    }
    answer()
  }
}

try {
  const database = open(workerData as WorkerOptions)
  const runAll = statementRunner(database)
  port.on('message', (message: ToWorker) => {
    if (message !== CLOSE) {
      runAll(message)
      return
    }
    database.exec('pragma optimize')
    database.close()
    port.close()
  })
  reply({ opened: true })
} catch (error) {
  reply({ opened: false, message: error instanceof Error ? error.message : String(error) })
  port.close()
}
