import type { ProgressShow } from '../importing/progress.js'
import { compareTable, type TableResult } from './compare.js'
import { type Adapted, fitRow, type Row } from './rows.js'
import type { CopySide, CopyTarget } from './side.js'
import { inOrderOfReferences, shapeDifferences, type TableShape } from './shape.js'

/** What was copied, or what would be. */
export interface CopyResult {
  readonly tables: readonly TableResult[]
  /** What the target could not hold as it was. */
  readonly adapted: readonly Adapted[]
  /** What is not the same on both sides, in words; when there is anything, nothing was kept. */
  readonly differences: readonly string[]
}

/** What would be copied: how many rows each table has. Changes nothing and asks nothing of the target. */
export async function countRows(source: CopySide): Promise<{ table: string; rows: number }[]> {
  const counted: { table: string; rows: number }[] = []
  for (const shape of inOrderOfReferences(await source.shapes())) {
    counted.push({ table: shape.name, rows: await source.count(shape) })
  }
  return counted
}

/** Copies everything into a target that was claimed, compares both sides, and makes it count only when nothing differs. */
export async function copyRows(source: CopySide, target: CopyTarget, show: ProgressShow): Promise<CopyResult> {
  const shapes = inOrderOfReferences(await source.shapes())
  const wrong = shapeDifferences(shapes, await target.shapes())
  if (wrong.length > 0) return { tables: [], adapted: [], differences: wrong }
  const adapted: Adapted[] = []
  await target.begin()
  const total = await totalOf(source, shapes)
  show.start('rows', total)
  for (const shape of shapes) await target.load(shape, fittedRows(source, shape, adapted, show))
  show.end()
  show.start('indexes', undefined)
  const lastIds = await source.lastIds()
  await target.settle(lastIds)
  show.end()
  const tables = await compareTables(source, target, { shapes, total }, show)
  const differences = [...tableDifferences(tables), ...idDifferences(lastIds, await target.lastIds())]
  if (differences.length === 0) await target.finish()
  return { tables, adapted, differences }
}

/** Compares a copy with its source, without changing either. */
export async function verifyRows(source: CopySide, target: CopySide, show: ProgressShow): Promise<CopyResult> {
  const shapes = inOrderOfReferences(await source.shapes())
  const wrong = shapeDifferences(shapes, await target.shapes())
  if (wrong.length > 0) return { tables: [], adapted: [], differences: wrong }
  const total = await totalOf(source, shapes)
  const tables = await compareTables(source, target, { shapes, total }, show)
  const differences = [...tableDifferences(tables), ...idDifferences(await source.lastIds(), await target.lastIds())]
  return { tables, adapted: [], differences }
}

async function totalOf(source: CopySide, shapes: readonly TableShape[]): Promise<number> {
  let total = 0
  for (const shape of shapes) total += await source.count(shape)
  return total
}

async function* fittedRows(
  source: CopySide,
  shape: TableShape,
  adapted: Adapted[],
  show: ProgressShow,
): AsyncGenerator<Row[]> {
  for await (const rows of source.rows(shape)) {
    yield rows.map((row) => fitRow(shape, row, (one) => adapted.push(one)))
    show.step(rows.length)
  }
}

async function compareTables(
  source: CopySide,
  target: CopySide,
  { shapes, total }: { readonly shapes: readonly TableShape[]; readonly total: number },
  show: ProgressShow,
): Promise<TableResult[]> {
  show.start('comparing', total)
  const tables: TableResult[] = []
  for (const shape of shapes) tables.push(await compareTable(source, target, shape, (rows) => show.step(rows)))
  show.end()
  return tables
}

const tableDifferences = (tables: readonly TableResult[]): string[] =>
  tables.flatMap(({ table, difference }) => (difference === undefined ? [] : [`${table}: ${difference}`]))

/** An id that was handed out once must never be again, though its row is gone: links to it would lead to something else. */
function idDifferences(source: ReadonlyMap<string, number>, target: ReadonlyMap<string, number>): string[] {
  return [...source].flatMap(([table, last]) => {
    const other = target.get(table) ?? 0
    return other < last ? [`${table}: its next id would be ${other + 1}, though ${last} was handed out already`] : []
  })
}
