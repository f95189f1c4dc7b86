import { DatabaseSync } from '@photostructure/sqlite'
import { BATCH_ROWS, type CopySide, pagesOf } from '../cli/copying/side.js'
import type { Column, ColumnKind, TableShape } from '../cli/copying/shape.js'
import { checkMigrations } from './database-migrations.js'
import { sqliteTypes } from '../migrations/types.js'

const KINDS: Readonly<Record<string, ColumnKind>> = { integer: 'whole', bigint: 'whole', real: 'number', text: 'text' }

type Connection = InstanceType<typeof DatabaseSync>

/**
 * The embedded database in `file`, only read, as it is at this moment.
 *
 * @throws when it cannot be read, or an older or newer version of the server has made it
 */
export function openEmbeddedCopySide(file: string): CopySide {
  const connection = new DatabaseSync(file, { readOnly: true })
  try {
    connection.exec('pragma busy_timeout = 1000; pragma query_only = on; pragma trusted_schema = off; begin')
    checkMigrations(
      allRows(connection, 'select name from kysely_migration').map(([name]) => String(name)),
      sqliteTypes,
    )
  } catch (error) {
    connection.close()
    throw error
  }
  return {
    place: file,
    shapes: async () => tableNames(connection).map((name) => shapeOf(connection, name)),
    count: async ({ name }) => Number(allRows(connection, `select count(*) from ${quoted(name)}`)[0]?.[0] ?? 0),
    rows: (shape) => readRows(connection, shape),
    lastIds: async () =>
      new Map(
        allRows(connection, 'select name, seq from sqlite_sequence').map(([name, seq]) => [String(name), Number(seq)]),
      ),
    close: async () => connection.close(),
  }
}

function tableNames(connection: Connection): string[] {
  const names = allRows(connection, "select name from sqlite_master where type = 'table' order by name")
  return names.map(([name]) => String(name)).filter((name) => !/^(sqlite|kysely)_/.test(name))
}

function shapeOf(connection: Connection, name: string): TableShape {
  const facts = allRows(connection, `select name, type, pk from pragma_table_info(?)`, name)
  const parents = allRows(connection, `select distinct "table" from pragma_foreign_key_list(?)`, name)
  const [made] = allRows(connection, 'select sql from sqlite_master where name = ?', name)
  const keyed = facts.filter(([, , pk]) => Number(pk) > 0).sort((a, b) => Number(a[2]) - Number(b[2]))
  return {
    name,
    columns: facts.map(([column, type]) => columnOf(name, String(column), String(type))),
    key: keyed.map(([column]) => String(column)),
    isCounted: /autoincrement/i.test(String(made?.[0])),
    parents: parents.map(([parent]) => String(parent)),
  }
}

function columnOf(table: string, name: string, type: string): Column {
  const kind = KINDS[type.toLowerCase()]
  if (kind === undefined) throw new Error(`the column ${table}.${name} has the type ${type}, which is not copied`)
  return { name, kind }
}

function readRows(connection: Connection, shape: TableShape): AsyncGenerator<unknown[][]> {
  const { key, columns, name } = shape
  const list = (names: readonly string[]): string => names.map(quoted).join(', ')
  const texts = columns.filter(({ kind }) => kind === 'text').map((column) => quoted(column.name))
  // The driver hands texts out as far as their first U+0000, so those that hold one are asked for once more, as bytes.
  const isCut = texts.map((text) => `(typeof(${text}) = 'text' and instr(${text}, char(0)) > 0)`).join(' or ') || '0'
  const selected = `select ${list(columns.map((column) => column.name))}, ${isCut} from ${quoted(name)}`
  const order = `order by ${list(key)} limit ${BATCH_ROWS}`
  const later = `where (${list(key)}) > (${key.map(() => '?').join(', ')})`
  return pagesOf(shape, async (after) => {
    try {
      const rows = allRows(connection, `${selected} ${after === undefined ? '' : later} ${order}`, ...(after ?? []))
      return rows.map((row) => (row.pop() === 1 ? wholeRow(connection, shape, row) : row))
    } catch (error) {
      throw new Error(`the table ${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      })
    }
  })
}

/** The row with its texts to their ends. */
function wholeRow(connection: Connection, { name, columns, key }: TableShape, row: readonly unknown[]): unknown[] {
  const bytes = columns.map(
    (column) => `case typeof(${quoted(column.name)}) when 'text' then cast(${quoted(column.name)} as blob) end`,
  )
  const wanted = key.map((column) => `${quoted(column)} = ?`).join(' and ')
  const keyValues = key.map((one) => row[columns.findIndex((column) => column.name === one)])
  const [whole] = allRows(connection, `select ${bytes.join(', ')} from ${quoted(name)} where ${wanted}`, ...keyValues)
  return row.map((value, index) => {
    const text = whole?.[index]
    return text instanceof Uint8Array ? Buffer.from(text).toString() : value
  })
}

function allRows(connection: Connection, sql: string, ...parameters: readonly unknown[]): unknown[][] {
  const statement = connection.prepare(sql)
  statement.setReturnArrays(true)
  // The driver's types know no lists.
  const rows: unknown = statement.all(...(parameters as string[]))
  return rows as unknown[][]
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
