import { bytesText, timeText } from '../importing/amounts.js'
import type { BlobsResult } from './blobs.js'
import type { Adapted } from './rows.js'
import type { CopyResult } from './work.js'

const MOST_TOLD = 20

/** A table of rows for people: the first column to the left, the others to the right. */
function aligned(table: readonly (readonly string[])[]): string[] {
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length))) ?? []
  return table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
}

/** What people read of a dry run. */
export function countLines(counts: readonly { readonly table: string; readonly rows: number }[]): string[] {
  return aligned([['table', 'rows'], ...counts.map(({ table, rows }) => [table, String(rows)])])
}

/** What people read of the rows at the end. */
export function resultLines({ tables, adapted, differences }: CopyResult, seconds: number): string[] {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const table = tables.length === 0 ? [] : [['table', 'rows', 'sha256'], ...tables.map(tableLine)]
  const perSecond = Math.round(rows / Math.max(seconds, 0.001))
  const verdict =
    differences.length === 0
      ? [`${rows} rows in ${timeText(seconds)} (${perSecond} a second); every row is the same on both sides`]
      : ['', 'not the same on both sides:', ...differences.slice(0, MOST_TOLD).map((one) => `  ${one}`)]
  return [...aligned(table), ...verdict, ...adaptedLines(adapted)]
}

const tableLine = ({ table, rows, sha256 }: CopyResult['tables'][number]): string[] => [
  table,
  String(rows),
  sha256.slice(0, 12),
]

const WHAT: Readonly<Record<Adapted['what'], string>> = {
  nul_replaced: 'held the character U+0000, which PostgreSQL cannot; it is U+FFFD there',
  rounded: 'held a fraction where whole numbers stand; it is rounded there',
}

function adaptedLines(adapted: readonly Adapted[]): string[] {
  if (adapted.length === 0) return []
  const told = adapted
    .slice(0, MOST_TOLD)
    .map(({ table, row, column, what }) => `  ${table} ${row}: ${column} ${WHAT[what]}`)
  const more = adapted.length - told.length
  return ['', 'to know:', ...told, ...(more > 0 ? [`  and ${more} more`] : [])]
}

/** What people read of the blobs. */
export function blobLines({ count, bytes, copied, others, differences }: BlobsResult): string[] {
  const left = others === 0 ? '' : `; ${others} more lie there and were left alone`
  const verdict = differences.length === 0 ? ', each read back and compared' : ''
  return [
    `pictures and files: ${count} (${bytesText(bytes)}), ${copied} copied, ${count - copied} there already${verdict}${left}`,
    ...differences.map(differenceLine),
  ]
}

/** What people read of blobs that were only compared. */
export function verifiedBlobLines({ count, bytes, others, differences }: Omit<BlobsResult, 'copied'>): string[] {
  const verdict = differences.length === 0 ? '; every one is the same on both sides' : ''
  const more = others === 0 ? '' : `; ${others} more lie there`
  return [`pictures and files: ${count} (${bytesText(bytes)})${verdict}${more}`, ...differences.map(differenceLine)]
}

const differenceLine = (key: string): string => `  not the same on both sides: ${key}`
