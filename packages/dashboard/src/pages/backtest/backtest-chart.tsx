import type { BacktestResult, Print } from '@printwarden/sdk'
import { useMemo, useRef } from 'preact/hooks'
import { Chart, type ChartOptions, type Colour } from '../../components/chart.js'
import { scoreChartOptions, type ScoreDrawn, type ScoreMark } from '../../components/score-chart.js'
import { secondsOf } from '../../format.js'
import { columnsOf } from '../../samples.js'
import { comparison, markWords } from '../../teaching-words.js'

const GAP_SECONDS = 300

interface Row {
  readonly ts: number
  readonly actual: number | null
  readonly would: number | null
}

/** The gauge as it would have been over the gauge as it was, with the alerts of both. */
export function BacktestChart({ result, print }: { result: BacktestResult; print: Print }) {
  const rows = useMemo(() => rowsOf(result), [result])
  const data = useMemo(() => columnsOf(rows, [(row) => row.actual, (row) => row.would], GAP_SECONDS), [rows])
  const drawn = useRef<ScoreDrawn>({ marks: [], startedAt: undefined, endedAt: undefined })
  drawn.current = {
    marks: marksOf(result),
    startedAt: print.started_at === null ? undefined : secondsOf(print.started_at),
    endedAt: print.ended_at === null ? undefined : secondsOf(print.ended_at),
  }
  const make = useMemo(() => (colour: Colour) => optionsOf(colour, () => drawn.current), [])
  const value = (column: number, row: number) => {
    const found = data[column]?.[row]
    return found === null || found === undefined ? 'not measured' : `${Math.round(found * 100)}%`
  }
  const legend = (row: number) => [
    { label: 'With these settings', colour: 'accent', text: value(2, row) },
    { label: 'As it was', colour: 'ink-2', text: value(1, row) },
  ]
  return (
    <Chart
      label={`Failure gauge over time. ${comparison(result)}`}
      height={260}
      data={data}
      make={make}
      legend={legend}
    />
  )
}

/** Seconds within which two alerts are the same one. */
const SAME_SECONDS = 1

/** The alerts of both; one that is the same in both is marked once. */
function marksOf({ would, happened }: BacktestResult): ScoreMark[] {
  const isSame = (a: BacktestResult['would'][number], b: BacktestResult['would'][number]): boolean =>
    a.outcome === b.outcome && Math.abs(a.ts - b.ts) < SAME_SECONDS
  const only = happened.filter((alert) => !would.some((other) => isSame(alert, other)))
  return [
    ...only.map((alert): ScoreMark => ({ ts: alert.ts, text: `was: ${markWords(alert)}`, tone: 'warning' })),
    ...would.map((alert): ScoreMark => ({ ts: alert.ts, text: markWords(alert), tone: 'bad' })),
  ]
}

/** Both series by time: a rerun has the pictures that were kept, which may be fewer. */
function rowsOf({ ts, normalized_p, actual_ts, actual_normalized_p }: BacktestResult): Row[] {
  const would = new Map(ts.map((at, index) => [at, normalized_p[index] ?? null]))
  const actual = new Map(actual_ts.map((at, index) => [at, actual_normalized_p[index] ?? null]))
  const times = [...new Set([...ts, ...actual_ts])].sort((a, b) => a - b)
  return times.map((at) => ({ ts: at, actual: actual.get(at) ?? null, would: would.get(at) ?? null }))
}

function optionsOf(colour: Colour, drawn: () => ScoreDrawn): ChartOptions {
  return {
    ...scoreChartOptions(colour, drawn),
    series: [
      {},
      { stroke: colour('ink-2'), width: 1.5, dash: [5, 4], spanGaps: true, points: { show: false } },
      { stroke: colour('accent'), width: 2.5, spanGaps: true, points: { show: false } },
    ],
  }
}
