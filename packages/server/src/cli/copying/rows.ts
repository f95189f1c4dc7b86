import type { Column, TableShape } from './shape.js'

/** What a column can hold on its way between engines. */
export type Value = string | number | null

/** A row's values, in the order of its table's columns. */
export type Row = readonly Value[]

/** A row cannot be copied: it holds what its column cannot have. */
export class MisfitError extends Error {
  override readonly name = 'MisfitError'
}

/** A value that had to be changed, since the target cannot hold it. */
export interface Adapted {
  readonly table: string
  readonly row: string
  readonly column: string
  readonly what: 'nul_replaced' | 'rounded'
}

/** How a row is named to people: by its key. */
export function rowName({ columns, key }: TableShape, row: Row): string {
  return key.map((name) => String(row[columns.findIndex((column) => column.name === name)])).join('/')
}

/**
 * The row as the target can hold it. SQLite takes anything anywhere; what PostgreSQL has no way for is changed as little as possible, and
 * told: U+0000 becomes U+FFFD, a fraction where only whole numbers stand is rounded.
 *
 * @throws {MisfitError} for bytes, and for a text that stands for a number
 */
export function fitRow(shape: TableShape, row: readonly unknown[], tell: (adapted: Adapted) => void): Row {
  const fit = (value: unknown, index: number): Value => {
    const column = shape.columns[index]
    if (column === undefined) throw new Error(`a row of ${shape.name} has more values than columns`)
    const { value: fitted, what } = fitValue(value, column.kind)
    if (fitted === undefined) throw new MisfitError(misfit(shape, row, column, value))
    if (what !== undefined) tell({ table: shape.name, row: rowName(shape, row as Row), column: column.name, what })
    return fitted
  }
  return row.map(fit)
}

function fitValue(value: unknown, kind: Column['kind']): { value: Value | undefined; what?: Adapted['what'] } {
  if (value === null) return { value: null }
  if (kind === 'text') {
    if (typeof value !== 'string') return { value: undefined }
    return value.includes('\0') ? { value: value.replaceAll('\0', '\uFFFD'), what: 'nul_replaced' } : { value }
  }
  if (typeof value !== 'number') return { value: undefined }
  if (kind === 'number' || Number.isInteger(value)) return { value }
  return Number.isFinite(value) ? { value: Math.round(value), what: 'rounded' } : { value: undefined }
}

function misfit(shape: TableShape, row: readonly unknown[], column: Column, value: unknown): string {
  const held = value instanceof Uint8Array ? 'bytes' : JSON.stringify(value) || String(value)
  const wanted = { whole: 'a whole number', number: 'a number', text: 'a text' }[column.kind]
  return `${shape.name}.${column.name} of row ${rowName(shape, row as Row)} holds ${held.slice(0, 60)} where only ${wanted} can stand`
}

/** A row as text that no other row has: what both sides' hashes are made of. */
export function rowText(row: Row): string {
  let text = ''
  for (const value of row) {
    if (value === null) text += '-;'
    else if (typeof value === 'number') text += `${value};`
    else text += `${value.length}:${value};`
  }
  return `${text}\n`
}

const ESCAPED = /[\\\n\r\t]/
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A row as a line of PostgreSQL's COPY in its text format. */
export function copyLine(row: Row): string {
  return `${row.map(copyField).join('\t')}\n`
}

function copyField(value: Value): string {
  if (value === null) return '\\N'
  if (typeof value === 'number') return String(value)
  return ESCAPED.test(value) ? value.replaceAll(/[\\\n\r\t]/g, (one) => ESCAPES[one] ?? one) : value
}
