import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useApp } from '../app-state.js'
import { day, timeOfDay, timeWithSeconds } from '../format.js'

/** The page's colours by name, since a canvas knows no custom properties. */
export type Colour = (name: string) => string

/** What a chart shows besides its data. */
export type ChartOptions = Omit<uPlot.Options, 'width' | 'height'>

/** One entry below a chart: a line's name, the name of its colour, and its value at one moment. */
export interface LegendEntry {
  readonly label: string
  readonly colour: string
  readonly text: string
}

/**
 * A chart over time. It is built anew when the theme or `make` changes, and only fed when the data change.
 *
 * @param label what it shows, for those who do not see it
 * @param legend the entries below it for one row of the data: the one under the pointer, else the last
 */
export function Chart(props: {
  label: string
  height: number
  data: uPlot.AlignedData
  make: (colour: Colour) => ChartOptions
  legend: (row: number) => readonly LegendEntry[]
}) {
  const { theme } = useApp()
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const [pointedRow, setPointedRow] = useState<number | undefined>(undefined)
  const { label, height, data, make } = props
  const themeName = theme.theme.value

  useEffect(() => {
    const element = place.current
    if (element === null) return
    const made = buildPlot(element, height, data, make, setPointedRow)
    plot.current = made
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0 && element.clientWidth !== made.width)
        made.setSize({ width: element.clientWidth, height })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [themeName, make, height])

  useEffect(() => {
    plot.current?.setData(data)
  }, [data])

  const lastRow = data[0].length - 1
  const row = pointedRow === undefined ? lastRow : Math.min(pointedRow, lastRow)
  return (
    <figure class="chart">
      <div ref={place} role="img" aria-label={label} style={{ height: `${height}px` }} />
      <figcaption class="legend" aria-hidden="true">
        {row >= 0 && props.legend(row).map((entry) => <LegendItem key={entry.label} entry={entry} />)}
        {pointedRow !== undefined && row >= 0 && <span class="legend-time">{timeWithSeconds(data[0][row] ?? 0)}</span>}
      </figcaption>
    </figure>
  )
}

function LegendItem({ entry }: { entry: LegendEntry }) {
  return (
    <span>
      <span class="legend-mark" style={{ background: `var(--${entry.colour})` }} />
      {entry.label} <strong>{entry.text}</strong>
    </span>
  )
}

function buildPlot(
  element: HTMLElement,
  height: number,
  data: uPlot.AlignedData,
  make: (colour: Colour) => ChartOptions,
  onPoint: (row: number | undefined) => void,
): uPlot {
  const style = getComputedStyle(document.documentElement)
  const options = make((name) => style.getPropertyValue(`--${name}`).trim())
  return new uPlot(
    {
      ...options,
      width: Math.max(200, element.clientWidth),
      height,
      legend: { show: false },
      cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
      hooks: { ...options.hooks, setCursor: [(plot) => onPoint(plot.cursor.idx ?? undefined)] },
    },
    data,
    element,
  )
}

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

/** An axis of time in the reader's own way of writing it. */
export function timeAxis(colour: Colour): uPlot.Axis {
  return {
    stroke: colour('ink-2'),
    font: CHART_FONT,
    grid: { show: false },
    ticks: { stroke: colour('line'), size: 4, width: 1 },
    space: 90,
    size: 32,
    incrs: [
      30,
      MINUTE,
      2 * MINUTE,
      5 * MINUTE,
      10 * MINUTE,
      20 * MINUTE,
      30 * MINUTE,
      HOUR,
      2 * HOUR,
      4 * HOUR,
      8 * HOUR,
      DAY,
      2 * DAY,
      7 * DAY,
    ],
    values: (_plot, splits, _axis, _space, step) =>
      splits.map(step >= DAY ? day : step < MINUTE ? timeWithSeconds : timeOfDay),
  }
}

/** The font of axes. */
export const CHART_FONT = '12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif'
