import type { Figure } from './model-eval-figures.js'
import type { Report } from './model-eval-run.js'

function shown(value: number | null, digits = 3): string {
  return value === null ? 'not defined' : value.toFixed(digits)
}

function withInterval({ value, interval }: Figure): string {
  if (value === null) return 'not defined'
  return interval === null ? shown(value) : `${shown(value)}  (${shown(interval[0])} to ${shown(interval[1])})`
}

/** Lines of columns, each as wide as its widest cell. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd())
}

function notes(report: Report): string[] {
  const { figures, withoutLabels, unreadable, hasManifest } = report
  const named = unreadable.slice(0, 10).map(({ file, reason }) => `  ${file}: ${reason}`)
  return [
    ...(withoutLabels > 0 ? [`${withoutLabels} have no label file and count as good prints.`] : []),
    ...(figures.failing === 0 ? ['No picture has anything to find: ROC-AUC, recall and AP50 are not defined.'] : []),
    ...(figures.good === 0
      ? ['Every picture has something to find: ROC-AUC and false-positive rates are not defined.']
      : []),
    ...(figures.good > 0 && figures.good < 100
      ? ['Fewer than 100 good prints: recall at 1 % rests on the one that scores highest.']
      : []),
    ...(hasManifest
      ? []
      : ['Without a manifest.json each picture is a group of its own, so intervals may be too narrow.']),
    ...(unreadable.length > 0 ? [`${unreadable.length} could not be read and are left out:`, ...named] : []),
    ...(unreadable.length > 10 ? [`  and ${unreadable.length - 10} more`] : []),
  ]
}

/** A report as text for a terminal. */
export function asTable(report: Report): string {
  const { figures, times, cut } = report
  const sources = report.sources.map(({ source, failing, good, recallAtCut, fprAtCut }) => [
    source,
    String(failing),
    failing === 0 ? '-' : withInterval(recallAtCut),
    String(good),
    good === 0 ? '-' : withInterval(fprAtCut),
  ])
  return [
    `${report.model} on ${report.folder}`,
    `${report.pictures} pictures in ${figures.groups} groups: ${figures.failing} with something to find, ${figures.good} good prints.`,
    ...notes(report),
    '',
    ...columns([
      ['', 'value (95 % interval)', 'threshold'],
      ['ROC-AUC', withInterval(figures.auc), ''],
      ['recall at 1 % FPR', withInterval(figures.recallAtFpr1), shown(figures.thresholdAtFpr1, 4)],
      ['recall at 5 % FPR', withInterval(figures.recallAtFpr5), shown(figures.thresholdAtFpr5, 4)],
      ['recall at own cut', withInterval(figures.recallAtCut), shown(cut, 4)],
      ['FPR at own cut', withInterval(figures.fprAtCut), shown(cut, 4)],
      ['AP50', withInterval(figures.ap50), ''],
    ]),
    '',
    ...columns([['source', 'failing', 'found at own cut', 'good', 'false alarms at own cut'], ...sources]),
    '',
    ...columns([
      ['ms a picture', 'median', 'p95'],
      ['decode', shown(times.decode.median, 1), shown(times.decode.p95, 1)],
      ['inference', shown(times.inference.median, 1), shown(times.inference.p95, 1)],
    ]),
    '',
  ].join('\n')
}
