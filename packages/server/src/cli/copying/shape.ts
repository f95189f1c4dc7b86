/** What a column holds, whatever its engine calls that. */
export type ColumnKind = 'whole' | 'number' | 'text'

export interface Column {
  readonly name: string
  readonly kind: ColumnKind
}

/** A table as both engines have it. */
export interface TableShape {
  readonly name: string
  readonly columns: readonly Column[]
  /** The columns of the primary key, in its order: by them rows are known and sorted. */
  readonly key: readonly string[]
  /** Whether ids are counted up and never used again. */
  readonly isCounted: boolean
  /** The tables that its rows point at. */
  readonly parents: readonly string[]
}

/** Tables in the order of their references: what is pointed at comes first. Ties go by name, so that the order is always the same. */
export function inOrderOfReferences(tables: readonly TableShape[]): TableShape[] {
  const left = new Map([...tables].sort((a, b) => (a.name < b.name ? -1 : 1)).map((table) => [table.name, table]))
  const ordered: TableShape[] = []
  while (left.size > 0) {
    const isFree = ({ name, parents }: TableShape): boolean => parents.every((one) => one === name || !left.has(one))
    const free = [...left.values()].filter(isFree)
    // A circle has no order; its tables are loaded before references are checked, as all are.
    for (const table of free.length > 0 ? free : [...left.values()]) {
      left.delete(table.name)
      ordered.push(table)
    }
  }
  return ordered
}

/** What one side has otherwise than the other, in words; empty when all rows of the source have a place in the target. */
export function shapeDifferences(source: readonly TableShape[], target: readonly TableShape[]): string[] {
  const targets = new Map(target.map((table) => [table.name, table]))
  const sources = new Set(source.map(({ name }) => name))
  const ofTables = source.flatMap((table) => {
    const other = targets.get(table.name)
    return other === undefined ? [`the table ${table.name} is missing in the copy`] : columnDifferences(table, other)
  })
  const extra = target.filter(({ name }) => !sources.has(name)).map(({ name }) => `the copy has a table ${name} more`)
  return [...ofTables, ...extra]
}

function columnDifferences(table: TableShape, other: TableShape): string[] {
  const kinds = new Map(other.columns.map(({ name, kind }) => [name, kind]))
  const own = new Set(table.columns.map(({ name }) => name))
  const wrong = table.columns.filter(({ name, kind }) => kinds.get(name) !== kind)
  const extra = other.columns.filter(({ name }) => !own.has(name))
  const isSameKey = table.key.join() === other.key.join()
  return [
    ...[...wrong, ...extra].map(({ name }) => `the column ${table.name}.${name} is not the same on both sides`),
    ...(isSameKey ? [] : [`the table ${table.name} has another key in the copy`]),
  ]
}
