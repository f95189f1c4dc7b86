import type { ImportOutcome } from '@printwarden/protocol'

/** What is told of one thing. */
export interface Told {
  readonly kind: string
  readonly source_id: number
  readonly name: string
  readonly what: 'left_out' | 'failed' | 'note'
  readonly reason: string
}

/** How many of a kind. */
export interface Counts {
  created: number
  updated: number
  present: number
  left_out: number
  /** Could not be brought over this time. */
  failed: number
}

export interface Summary {
  readonly counts: Record<string, Counts>
  readonly told: Told[]
  bytes: number
}

export const newSummary = (): Summary => ({ counts: {}, told: [], bytes: 0 })

function countsOf({ counts }: Summary, kind: string): Counts {
  return (counts[kind] ??= { created: 0, updated: 0, present: 0, left_out: 0, failed: 0 })
}

export function noteOutcome(summary: Summary, outcome: ImportOutcome, name: string): void {
  const { kind, source_id } = outcome
  countsOf(summary, kind)[outcome.outcome] += 1
  const what = outcome.outcome === 'left_out' ? 'left_out' : 'note'
  for (const reason of outcome.notes) summary.told.push({ kind, source_id, name, what, reason })
}

export function noteMissing(
  summary: Summary,
  told: Omit<Told, 'what'> & { readonly what: 'left_out' | 'failed' },
): void {
  countsOf(summary, told.kind)[told.what] += 1
  summary.told.push(told)
}

const KINDS: Readonly<Record<string, string>> = {
  printer: 'printers',
  folder: 'folders',
  file: 'files',
  print: 'prints',
  video: 'videos',
  tagged_video: 'videos with boxes',
  poster: 'still pictures',
  predictions: 'score curves',
  shot: 'feedback pictures',
  notification_setting: 'notification settings',
  preferences: 'preferences',
}

const COLUMNS = ['created', 'updated', 'present', 'left_out', 'failed'] as const
const TITLES = ['new', 'changed', 'here already', 'left out', 'failed']

/** Lines of the same kind are told so often; the rest is counted. */
const MOST_TOLD = 20

/** What people read at the end. */
export function summaryLines(summary: Summary, isDryRun: boolean): string[] {
  const kinds = Object.keys(KINDS).filter((kind) => kind in summary.counts)
  const rows = kinds.map((kind) => {
    const counts = countsOf(summary, kind)
    return [KINDS[kind] ?? kind, ...COLUMNS.map((column) => String(counts[column]))]
  })
  const table = [['', ...TITLES], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length))) ?? []
  const lines = table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
  return [...lines, ...toldLines(summary.told), ...(isDryRun ? ['dry run: nothing was changed'] : [])]
}

function toldLines(told: readonly Told[]): string[] {
  const groups = [
    { title: 'failed; the same command tries them again:', what: 'failed' },
    { title: 'left out:', what: 'left_out' },
    { title: 'to know:', what: 'note' },
  ] as const
  return groups.flatMap(({ title, what }) => {
    const those = told.filter((one) => one.what === what)
    if (those.length === 0) return []
    const lines = those
      .slice(0, MOST_TOLD)
      .map(({ kind, source_id, name, reason }) => `  ${labelOf(kind, source_id, name)}: ${plainText(reason)}`)
    const more = those.length > MOST_TOLD ? [`  … and ${those.length - MOST_TOLD} more; --json has all`] : []
    return ['', title, ...lines, ...more]
  })
}

/** What another server says, without what a terminal would obey. */
export const plainText = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, '·')

const labelOf = (kind: string, id: number, name: string): string =>
  `${kind.replaceAll('_', ' ')} ${id}${name === '' ? '' : ` (${plainText(name).slice(0, 60)})`}`

export const hasFailed = ({ counts }: Summary): boolean => Object.values(counts).some(({ failed }) => failed > 0)
