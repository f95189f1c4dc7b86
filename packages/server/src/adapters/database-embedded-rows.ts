import type { DatabaseSync } from '@photostructure/sqlite'
import type { FlatRows, SqlValue } from './database-embedded-messages.js'
import { type EmptyRow, emptyRowOf, rowObject } from './row-objects.js'

type Connection = InstanceType<typeof DatabaseSync>

/** A compiled statement, and the names of what it answers: none for one that only changes something. */
export interface Prepared {
  readonly statement: ReturnType<Connection['prepare']>
  readonly columns: readonly string[]
  readonly emptyRow: EmptyRow
}

const MAX_CACHED_STATEMENTS = 500
const CHANGES_SCHEMA = /^\s*(create|alter|drop)\b/i

/** Compiles statements and keeps them; the one that was not used for longest is dropped first. */
export function statementCache(connection: Connection): (sql: string) => Prepared {
  const kept = new Map<string, Prepared>()
  return (sql) => {
    // What a kept statement answers may be other columns then.
    if (CHANGES_SCHEMA.test(sql)) kept.clear()
    const prepared = kept.get(sql) ?? prepare(connection, sql)
    kept.delete(sql)
    kept.set(sql, prepared)
    if (kept.size > MAX_CACHED_STATEMENTS) {
      const [oldest] = kept.keys()
      if (oldest !== undefined) kept.delete(oldest)
    }
    return prepared
  }
}

function prepare(connection: Connection, sql: string): Prepared {
  const statement = connection.prepare(sql)
  const columns = statement.columns().map(({ name }) => name ?? '')
  // Lists are read several times as fast as objects.
  if (columns.length > 0) statement.setReturnArrays(true)
  return { statement, columns, emptyRow: emptyRowOf(columns) }
}

/** The rows that a statement answers, each a list in the order of its columns. */
export function allRows({ statement }: Prepared, parameters: readonly unknown[]): readonly SqlValue[][] {
  // The driver's types know no lists.
  return statement.all(...(parameters as SqlValue[]))
}

/** All rows as objects. */
export function rowObjects({ columns, values }: FlatRows): Record<string, SqlValue>[] {
  const rows: Record<string, SqlValue>[] = []
  const emptyRow = emptyRowOf(columns)
  for (let start = 0; start < values.length; start += columns.length)
    rows.push(rowObject(columns, emptyRow, values, start))
  return rows
}
