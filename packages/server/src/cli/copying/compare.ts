import { createHash, type Hash } from 'node:crypto'
import { fitRow, type Row, rowName, rowText } from './rows.js'
import type { CopySide } from './side.js'
import type { TableShape } from './shape.js'

/** What one table is on both sides. */
export interface TableResult {
  readonly table: string
  readonly rows: number
  /** SHA-256 of all rows in order, hexadecimal: the same on both sides when nothing differs. */
  readonly sha256: string
  /** The first difference in words; absent when there is none. */
  readonly difference?: string
}

/** Reads a table on both sides and compares every row. `step` is told how many rows were read. */
export async function compareTable(
  source: CopySide,
  target: CopySide,
  shape: TableShape,
  step: (rows: number) => void,
): Promise<TableResult> {
  const [ours, theirs] = [new SideReader(source, shape), new SideReader(target, shape)]
  let difference: string | undefined
  try {
    for (;;) {
      const [left, right] = await Promise.all([ours.next(), theirs.next()])
      if (left === undefined && right === undefined) break
      difference ??= firstDifference(shape, left ?? NOTHING, right ?? NOTHING)
      step(left?.rows.length ?? 0)
    }
  } finally {
    await Promise.all([ours.close(), theirs.close()])
  }
  const [sha256, other] = [ours.sha256(), theirs.sha256()]
  if (sha256 !== other) difference ??= `its content is another (${sha256.slice(0, 12)} and ${other.slice(0, 12)})`
  if (ours.count !== theirs.count) difference = `${ours.count} rows became ${theirs.count}: ${difference ?? ''}`
  return { table: shape.name, rows: ours.count, sha256, ...(difference === undefined ? {} : { difference }) }
}

interface HashedBatch {
  readonly rows: readonly Row[]
  readonly texts: readonly string[]
}

const NOTHING: HashedBatch = { rows: [], texts: [] }

/** One side's rows, in batches, with the hash of all that were read. */
class SideReader {
  count = 0
  readonly #hash: Hash = createHash('sha256')
  readonly #batches: AsyncIterator<readonly (readonly unknown[])[]>

  constructor(
    side: CopySide,
    private readonly shape: TableShape,
  ) {
    this.#batches = side.rows(shape)[Symbol.asyncIterator]()
  }

  async next(): Promise<HashedBatch | undefined> {
    const { value, done } = await this.#batches.next()
    if (done === true) return undefined
    // What had to be adapted was told while it was copied.
    const rows = value.map((row) => fitRow(this.shape, row, () => {}))
    const texts = rows.map(rowText)
    this.#hash.update(texts.join(''))
    this.count += rows.length
    return { rows, texts }
  }

  sha256(): string {
    return this.#hash.digest('hex')
  }

  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}

/** Where two runs of the same table begin to differ, by the row's key and the column. */
function firstDifference(shape: TableShape, left: HashedBatch, right: HashedBatch): string | undefined {
  const length = Math.max(left.texts.length, right.texts.length)
  for (let index = 0; index < length; index++) {
    if (left.texts[index] === right.texts[index]) continue
    const [ours, theirs] = [left.rows[index], right.rows[index]]
    if (ours === undefined) return theirs && `row ${rowName(shape, theirs)} is in the copy only`
    const name = rowName(shape, ours)
    if (theirs !== undefined && rowName(shape, theirs) === name) return columnsDiffer(shape, name, ours, theirs)
    const isLater = right.rows.slice(index).some((row) => rowName(shape, row) === name)
    return isLater && theirs !== undefined
      ? `row ${rowName(shape, theirs)} is in the copy only`
      : `row ${name} is missing in the copy`
  }
  return undefined
}

function columnsDiffer({ columns }: TableShape, name: string, ours: Row, theirs: Row): string {
  const wrong = columns.filter((_, index) => ours[index] !== theirs[index]).map((column) => column.name)
  return `row ${name} differs in ${wrong.join(', ')}`
}
