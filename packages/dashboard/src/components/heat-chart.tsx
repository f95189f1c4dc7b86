import { useMemo } from 'preact/hooks'
import type uPlot from 'uplot'
import { temperature } from '../format.js'
import { columnsOf, type HeatSample } from '../samples.js'
import { CHART_FONT, Chart, type ChartOptions, type Colour, type LegendEntry, timeAxis } from './chart.js'

const GAP_SECONDS = 300
const LEAST_SECONDS = 300

interface Heater {
  readonly label: string
  readonly colour: string
  readonly actual: (sample: HeatSample) => number | null
  readonly target: (sample: HeatSample) => number | null
}

const HEATERS: readonly Heater[] = [
  { label: 'Nozzle', colour: 'heat-tool', actual: (sample) => sample.tool, target: (sample) => sample.toolTarget },
  { label: 'Bed', colour: 'heat-bed', actual: (sample) => sample.bed, target: (sample) => sample.bedTarget },
  { label: 'Chamber', colour: 'heat-chamber', actual: (sample) => sample.chamber, target: () => null },
]

/** The heaters over the time that this tab has been open; their targets are dashed. Heaters that measure nothing are left out. */
export function HeatChart({ samples }: { samples: readonly HeatSample[] }) {
  const shown = HEATERS.map((heater) => samples.some((sample) => heater.actual(sample) !== null))
  const key = shown.join()
  const heaters = useMemo(() => HEATERS.filter((_heater, index) => shown[index]), [key])
  const data = useMemo(
    () =>
      columnsOf(
        samples,
        heaters.flatMap((heater) => [heater.actual, heater.target]),
        GAP_SECONDS,
      ),
    [samples, heaters],
  )
  const make = useMemo(() => (colour: Colour) => optionsOf(colour, heaters), [heaters])
  const legend = (row: number) => legendOf(heaters, data, row)
  const now = legend(data[0].length - 1).map((entry) => `${entry.label} ${entry.text}`)
  return (
    <Chart
      label={`Temperatures over time, now: ${now.join(', ')}`}
      height={200}
      data={data}
      make={make}
      legend={legend}
    />
  )
}

function legendOf(
  heaters: readonly Heater[],
  data: readonly (readonly (number | null)[])[],
  row: number,
): LegendEntry[] {
  return heaters.map((heater, index) => {
    const actual = data[1 + 2 * index]?.[row] ?? null
    const target = data[2 + 2 * index]?.[row] ?? null
    return { label: heater.label, colour: heater.colour, text: temperature({ actual, target }) ?? '–' }
  })
}

function optionsOf(colour: Colour, heaters: readonly Heater[]): ChartOptions {
  return {
    scales: {
      x: { range: (_plot, from, to) => [Math.min(from, to - LEAST_SECONDS), to] },
      y: { range: (_plot, low, high) => [Math.min(20, low), Math.max(60, high * 1.08)] },
    },
    axes: [timeAxis(colour), degreeAxis(colour)],
    series: [{}, ...heaters.flatMap((heater) => linesOf(colour(heater.colour)))],
    padding: [8, 12, 0, 0],
  }
}

function linesOf(stroke: string): uPlot.Series[] {
  return [
    { stroke, width: 2, points: { show: (_plot, _index, from, to) => to - from < 2 } },
    { stroke, width: 1.25, dash: [4, 4], points: { show: false } },
  ]
}

function degreeAxis(colour: Colour): uPlot.Axis {
  return {
    stroke: colour('ink-2'),
    font: CHART_FONT,
    size: 56,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
    values: (_plot, splits) => splits.map((degrees) => `${degrees} °C`),
  }
}
