import { parentPort, workerData } from 'node:worker_threads'
import { DatabaseSync } from '@photostructure/sqlite'
import type {
  FromWorker,
  StatementReply,
  StatementRequest,
  ToWorker,
  WorkerOptions,
} from './database-embedded-messages.js'
import { CLOSE } from './database-embedded-messages.js'

// SQLite's own thread: it opens the file, answers statements in the order in which they come, and keeps compiled ones.

const MAX_CACHED_STATEMENTS = 500

type Statement = ReturnType<InstanceType<typeof DatabaseSync>['prepare']>

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

/** A cache of compiled statements; the one that was not used for longest is dropped first. */
function statementCache(database: InstanceType<typeof DatabaseSync>): (sql: string) => Statement {
  const statements = new Map<string, Statement>()
  return (sql) => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.delete(sql)
    statements.set(sql, statement)
    if (statements.size > MAX_CACHED_STATEMENTS) {
      const [oldest] = statements.keys()
      if (oldest !== undefined) statements.delete(oldest)
    }
    return statement
  }
}

function run(prepare: (sql: string) => Statement, { id, sql, parameters }: StatementRequest): StatementReply {
  try {
    const statement = prepare(sql)
    if (statement.columns().length > 0) return { id, rows: statement.all(...parameters) }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { id, changes, insertId: lastInsertRowid }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
    return { id, error: { message, code } }
  }
}

try {
  const database = open(workerData as WorkerOptions)
  const prepare = statementCache(database)
  port.on('message', (message: ToWorker) => {
    if (message !== CLOSE) {
      reply(run(prepare, message))
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
