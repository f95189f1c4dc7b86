import type { Figure, Figures } from './figures.js'

function time(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'never'
  return seconds < 100 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`
}

const rate = (value: number): string => value.toFixed(value < 10 ? 2 : 1)
const share = (value: number): string => `${Math.round(value * 100)} %`

function shown({ value, low, high }: Figure, as: (value: number) => string): string {
  return `${as(value)} (${as(low)} to ${as(high)})`
}

const COLUMNS: readonly [title: string, of: (figures: Figures) => string][] = [
  ['alert p50', ({ alertP50 }) => shown(alertP50, time)],
  ['alert p90', ({ alertP90 }) => shown(alertP90, time)],
  ['pause p50', ({ pauseP50 }) => shown(pauseP50, time)],
  ['pause p90', ({ pauseP90 }) => shown(pauseP90, time)],
  ['false alarms', ({ falseAlarms }) => shown(falseAlarms, rate)],
  ['false pauses', ({ falsePauses }) => shown(falsePauses, rate)],
  ['no alert', ({ missedAlerts }) => shown(missedAlerts, share)],
  ['no pause', ({ missedPauses }) => shown(missedPauses, share)],
  ['frames/h', ({ framesPerHour }) => framesPerHour.toFixed(0)],
]

/** A table for people, in Markdown. */
export function tableOf(rows: readonly { readonly name: string; readonly figures: Figures }[]): string {
  const cells = [
    ['decisions', ...COLUMNS.map(([title]) => title)],
    ...rows.map(({ name, figures }) => [name, ...COLUMNS.map(([, of]) => of(figures))]),
  ]
  const widths = (cells[0] ?? []).map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = cells
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
