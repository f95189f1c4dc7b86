import { memoizeByText } from '../memoize.js'

// Rows as objects, made of lists of values: drivers read lists in a fraction of the time.

/** A row with every column and no value. */
export type EmptyRow = Readonly<Record<string, null>>

/**
 * What is copied for each row. An object that gets its properties one by one, by names that are not in the code, becomes a hash table in V8
 * as soon as there are more than a few: that takes ten times the memory and is slow to read. One that was parsed does not, nor does its copy.
 */
export function emptyRowOf(columns: readonly string[]): EmptyRow {
  return emptyRows(JSON.stringify(columns))
}

const emptyRows = memoizeByText((columns) => {
  const names: readonly string[] = JSON.parse(columns)
  const empty: EmptyRow = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`)
  return empty
}, 1_000)

/** A row as an object. Of columns with the same name the last one counts, as everywhere. */
export function rowObject<Value>(
  columns: readonly string[],
  emptyRow: EmptyRow,
  values: readonly Value[],
  start = 0,
): Record<string, Value | null> {
  const row: Record<string, Value | null> = { ...emptyRow }
  for (let i = 0; i < columns.length; i++) row[columns[i] ?? ''] = values[start + i] ?? null
  return row
}
