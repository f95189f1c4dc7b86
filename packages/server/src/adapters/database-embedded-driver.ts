import type { Worker } from 'node:worker_threads'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { CompiledQuery as Query } from 'kysely'
import { ApiError } from '../errors.js'
import type { FromWorker, StatementReply, StatementRequest } from './database-embedded-messages.js'
import { CLOSE } from './database-embedded-messages.js'
import { rowObjects } from './database-embedded-rows.js'
import { StatementError } from './statement-error.js'
import { Turns } from './turns.js'

/** Transactions take milliseconds, so whoever waits this long waits for itself. */
const TURN_TIMEOUT_MS = 30_000

/** SQLite's words for a disk without room. */
const DISK_FULL = 'database or disk is full'

function refusal({ message, code }: { message: string; code: string | undefined }): Error {
  const error = new StatementError(message, code)
  return message.includes(DISK_FULL) ? new ApiError('storage_full', undefined, { cause: error }) : error
}

interface Waiting {
  resolve(reply: StatementReply): void
  reject(error: Error): void
}

/** The main thread's end of the worker: one promise for each statement. Those of one turn of the event loop travel together. */
export class WorkerLink {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #ended: Promise<void>
  #nextId = 1
  #failure: Error | undefined
  #unsent: StatementRequest[] = []

  constructor(worker: Worker) {
    this.#worker = worker
    worker.on('message', (message: FromWorker) => this.#settle(message))
    worker.on('error', (error: Error) => this.#fail(error))
    this.#ended = new Promise((resolve) => {
      worker.on('exit', () => {
        this.#fail(new Error('the database is closed'))
        resolve()
      })
    })
  }

  run(sql: string, parameters: readonly unknown[]): Promise<StatementReply> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      if (this.#unsent.length === 0) setImmediate(() => this.#flush())
      this.#unsent.push({ id, sql, parameters })
    })
  }

  /** Answers what was asked before, then closes the file and ends the thread. */
  async close(): Promise<void> {
    this.#flush()
    if (this.#failure === undefined) this.#worker.postMessage(CLOSE)
    await this.#ended
  }

  #flush(): void {
    const requests = this.#unsent
    this.#unsent = []
    if (requests.length > 0) this.#worker.postMessage(requests)
  }

  #settle(message: FromWorker): void {
    if ('opened' in message) return
    for (const reply of message) {
      const waiting = this.#waiting.get(reply.id)
      this.#waiting.delete(reply.id)
      waiting?.resolve(reply)
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const waiting of this.#waiting.values()) waiting.reject(this.#failure)
    this.#waiting.clear()
  }
}

/**
 * Kysely's driver over the worker. SQLite has one connection, so a transaction has it alone; statements outside of transactions
 * do not wait for each other.
 */
export class EmbeddedDriver implements Driver {
  readonly #link: WorkerLink
  readonly #turns = new Turns(TURN_TIMEOUT_MS)

  constructor(link: WorkerLink) {
    this.#link = link
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<EmbeddedConnection> {
    return new EmbeddedConnection(this.#link, this.#turns)
  }

  async beginTransaction(connection: EmbeddedConnection): Promise<void> {
    await this.#turns.alone()
    connection.hasTurn = true
    // Immediate: the write lock is taken at the start, so that a transaction cannot fail half-way for want of it.
    await connection.executeQuery(Query.raw('begin immediate'))
  }

  async commitTransaction(connection: EmbeddedConnection): Promise<void> {
    await connection.executeQuery(Query.raw('commit'))
  }

  async rollbackTransaction(connection: EmbeddedConnection): Promise<void> {
    try {
      await connection.executeQuery(Query.raw('rollback'))
    } catch (error) {
      // A full or failing disk makes SQLite roll back by itself; saying so would hide why.
      if (!(error instanceof StatementError && error.message.includes('no transaction is active'))) throw error
    }
  }

  async releaseConnection(connection: EmbeddedConnection): Promise<void> {
    if (!connection.hasTurn) return
    connection.hasTurn = false
    this.#turns.leave()
  }

  // The link is closed by whoever opened it.
  async destroy(): Promise<void> {}
}

class EmbeddedConnection implements DatabaseConnection {
  /** Whether a transaction has the turn, through this connection. */
  hasTurn = false
  readonly #link: WorkerLink
  readonly #turns: Turns

  constructor(link: WorkerLink, turns: Turns) {
    this.#link = link
    this.#turns = turns
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (!this.hasTurn) {
      const turn = this.#turns.shared()
      if (turn !== undefined) await turn
    }
    const reply = await this.#link.run(sql, parameters)
    if ('error' in reply) throw refusal(reply.error)
    if ('values' in reply) return { rows: rowObjects(reply) as Row[] }
    return { rows: [], numAffectedRows: BigInt(reply.changes), insertId: BigInt(reply.insertId) }
  }

  // Nothing of ours reads so much that it must be streamed.
  // oxlint-disable-next-line require-yield
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('the embedded database does not stream')
  }
}
