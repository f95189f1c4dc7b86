import { DatabaseSync } from '@photostructure/sqlite'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import { allRows, type Prepared, statementCache } from './database-embedded-rows.js'
import { rowObject } from './row-objects.js'

/**
 * A second connection to the file, on the calling thread and only for reading: for reads that are so short that handing them to
 * the worker would cost more than the reading. It sees what was committed when a statement begins.
 */
export class EmbeddedReader implements Driver {
  readonly #file: string
  #connection: ReaderConnection | undefined
  #isClosed = false

  constructor(file: string) {
    this.#file = file
  }

  async init(): Promise<void> {}

  /** Opened when it is first used: by then the worker has made the file and brought it up to date. */
  async acquireConnection(): Promise<ReaderConnection> {
    if (this.#isClosed) throw new Error('the database is closed')
    return (this.#connection ??= new ReaderConnection(this.#file))
  }

  async beginTransaction(): Promise<void> {
    throw new Error('quick reads have no transactions')
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.close()
  }

  close(): void {
    this.#isClosed = true
    this.#connection?.close()
    this.#connection = undefined
  }
}

class ReaderConnection implements DatabaseConnection {
  readonly #database: InstanceType<typeof DatabaseSync>
  readonly #prepare: (sql: string) => Prepared

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { readOnly: true })
    this.#database.exec('pragma busy_timeout = 1000; pragma query_only = on; pragma trusted_schema = off;')
    this.#prepare = statementCache(this.#database)
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const prepared = this.#prepare(sql)
    const { columns, emptyRow } = prepared
    return { rows: allRows(prepared, parameters).map((values) => rowObject(columns, emptyRow, values)) as Row[] }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('the embedded database does not stream')
  }

  close(): void {
    this.#database.close()
  }
}
