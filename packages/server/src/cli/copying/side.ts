import type { Row } from './rows.js'
import type { TableShape } from './shape.js'

/** How many rows are read at a time, on both sides: few enough that those with the longest texts fit into memory. */
export const BATCH_ROWS = 500

/**
 * Reads a table page by page. By the key, not by counting: a page late in a large table must not read everything before it.
 *
 * @param read one page: the rows after that key, or the first ones
 */
export async function* pagesOf(
  { key, columns }: TableShape,
  read: (after: readonly unknown[] | undefined) => Promise<unknown[][]>,
): AsyncGenerator<unknown[][]> {
  const keyAt = key.map((name) => columns.findIndex((column) => column.name === name))
  let after: unknown[] | undefined
  for (;;) {
    const rows = await read(after)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH_ROWS) return
    after = keyAt.map((index) => last[index])
  }
}

/** A database whose rows can be read in order, by whichever engine. */
export interface CopySide {
  /** Where it is, in words for people and without a password. */
  readonly place: string
  shapes(): Promise<TableShape[]>
  count(shape: TableShape): Promise<number>
  /** All rows in the order of the key, `BATCH_ROWS` at a time; values in the order of the shape's columns. */
  rows(shape: TableShape): AsyncIterable<readonly (readonly unknown[])[]>
  /** The highest id that each counted table has ever handed out; 0 for none. */
  lastIds(): Promise<ReadonlyMap<string, number>>
  close(): Promise<void>
}

/** Where rows are copied to: nothing of it counts before `finish`, however the copying ends. */
export interface CopyTarget extends CopySide {
  /**
   * Makes the target this copy's own: brings its schema up to date and keeps servers from it until `finish`.
   *
   * @throws when it is not empty, or another copy is under way
   */
  claim(): Promise<void>
  /** Begins to load: from here on without references, indexes and triggers. */
  begin(): Promise<void>
  /** Adds the rows of one table. */
  load(shape: TableShape, batches: AsyncIterable<readonly Row[]>): Promise<void>
  /** Puts references and indexes back, which checks every row, and the ids that come next. */
  settle(lastIds: ReadonlyMap<string, number>): Promise<void>
  /** Everything is there and right: servers may come. */
  finish(): Promise<void>
}
