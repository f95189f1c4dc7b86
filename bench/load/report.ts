import { show, type Spread, spread, table } from '../measure.js'
import type { Figure } from './bench.js'

/** One figure over several runs. */
export interface Summary {
  readonly key: string
  readonly label: string
  readonly digits: number
  readonly ours: Spread
  readonly floor: Spread | undefined
  /** Ours beside the floor of the same run. */
  readonly ratio: Spread | undefined
}

/** Brings the runs' figures of the same key together, in the order of the first run. */
export function summarize(runs: readonly (readonly Figure[])[]): Summary[] {
  return (runs[0] ?? []).map(({ key, label, digits = 1 }) => {
    const same = runs.flatMap((figures) => figures.filter((figure) => figure.key === key))
    const floors = same.flatMap(({ floor }) => (floor === undefined ? [] : [floor]))
    const ratios = same.flatMap(({ ours, floor }) => (floor === undefined ? [] : [ours / floor]))
    return {
      key,
      label,
      digits,
      ours: spread(same.map(({ ours }) => ours)),
      floor: floors.length === 0 ? undefined : spread(floors),
      ratio: ratios.length === 0 ? undefined : spread(ratios),
    }
  })
}

/** The summaries as a table: each cell is min / median / max. */
export function summaryTable(summaries: readonly Summary[]): string {
  const rows = summaries.map(({ label, digits, ours, floor, ratio }) => [
    label,
    show(ours, digits),
    floor === undefined ? '–' : show(floor, digits),
    ratio === undefined ? '–' : show(ratio, 1),
  ])
  return table(['figure', 'ours', 'floor', 'ours / floor'], rows)
}
