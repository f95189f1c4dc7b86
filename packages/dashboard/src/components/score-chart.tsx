import { useMemo, useRef } from 'preact/hooks'
import type uPlot from 'uplot'
import { timeOfDay } from '../format.js'
import { columnsOf, type ScoreSample } from '../samples.js'
import { BAND_WORDS, bandOf } from '../wording.js'
import { CHART_FONT, Chart, type ChartOptions, type Colour, timeAxis } from './chart.js'

const GAP_SECONDS = 120

/** A moment worth a mark: an alert, a pause. */
export interface ScoreMark {
  readonly ts: number
  readonly text: string
  readonly tone: 'bad' | 'warning'
}

/** The shortest time that the chart spans, so that a print's first seconds do not look like a mountain range. */
const LEAST_SECONDS = 60

/**
 * The failure gauge over the time of one print, on its three bands, with marks.
 *
 * @param startedAt when the print began, in Unix seconds: the left edge
 * @param endedAt when it ended: the right edge; undefined while it runs
 */
export function ScoreChart(props: {
  samples: readonly ScoreSample[]
  marks: readonly ScoreMark[]
  startedAt: number | undefined
  endedAt: number | undefined
}) {
  const { samples, marks } = props
  const drawn = useRef(props)
  drawn.current = props
  const markKey = JSON.stringify(marks)
  const data = useMemo(
    () => columnsOf(samples, [(sample) => sample.score], GAP_SECONDS),
    [samples, markKey, props.endedAt],
  )
  const make = useMemo(() => (colour: Colour) => scoreChartOptions(colour, () => drawn.current), [])
  const legend = (row: number) => [{ label: 'Failure gauge', colour: 'ink', text: scoreText(data[1]?.[row]) }]
  return <Chart label={describe(samples, marks)} height={220} data={data} make={make} legend={legend} />
}

/** What is drawn over the bands besides the lines. */
export interface ScoreDrawn {
  readonly marks: readonly ScoreMark[]
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
}

function scoreText(score: number | null | undefined): string {
  if (score === null || score === undefined) return 'not measured'
  return `${Math.round(score * 100)}%, ${bandOf(score)}`
}

function describe(samples: readonly ScoreSample[], marks: readonly ScoreMark[]): string {
  const last = samples.at(-1)
  if (last === undefined) return 'Failure gauge over time: no values yet.'
  const highest = Math.max(...samples.map((sample) => sample.score))
  const marked = marks.map((mark) => `${mark.text} at ${timeOfDay(mark.ts)}`).join(', ')
  return `Failure gauge over time: now ${BAND_WORDS[bandOf(last.score)]}, at most ${Math.round(highest * 100)}%. ${marked}`
}

/** A chart of the gauge on its three bands, with marks. */
export function scoreChartOptions(colour: Colour, drawn: () => ScoreDrawn): ChartOptions {
  return {
    scales: { x: { range: (_plot, from, to) => spanOf(from, to, drawn()) }, y: { range: [0, 1] } },
    axes: [timeAxis(colour), bandAxis(colour)],
    series: [{}, { stroke: colour('ink'), width: 2, points: { show: (_plot, _index, from, to) => to - from < 2 } }],
    padding: [20, 12, 0, 0],
    hooks: {
      drawClear: [(plot) => drawBands(plot, colour)],
      draw: [(plot) => drawMarks(plot, colour, drawn().marks)],
    },
  }
}

/** The time that is shown: the whole print so far. */
function spanOf(from: number, to: number, { marks, startedAt, endedAt }: ScoreDrawn): [number, number] {
  const times = marks.map((mark) => mark.ts)
  const first = Math.min(from, startedAt ?? from, ...times)
  const last = Math.max(to, endedAt ?? to, ...times)
  return [first, Math.max(last, first + LEAST_SECONDS)]
}

function bandAxis(colour: Colour): uPlot.Axis {
  return {
    stroke: colour('ink-2'),
    font: CHART_FONT,
    size: 56,
    grid: { show: false },
    ticks: { show: false },
    splits: () => [1 / 6, 1 / 2, 5 / 6],
    values: () => ['fine', 'odd', 'failing'],
  }
}

function drawBands(plot: uPlot, colour: Colour): void {
  const { left, width } = plot.bbox
  const names = ['fine-soft', 'odd-soft', 'bad-soft']
  names.forEach((name, index) => {
    const top = plot.valToPos((index + 1) / 3, 'y', true)
    const bottom = plot.valToPos(index / 3, 'y', true)
    plot.ctx.fillStyle = colour(name)
    plot.ctx.fillRect(left, top, width, bottom - top)
  })
}

/** Marks that are closer than this, in pixels of the page, share one text. */
const MARK_ROOM = 64

function drawMarks(plot: uPlot, colour: Colour, marks: readonly ScoreMark[]): void {
  const { ctx, bbox } = plot
  const ratio = devicePixelRatio
  const right = bbox.left + bbox.width
  ctx.save()
  ctx.font = `600 ${12 * ratio}px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif`
  // The axes leave theirs behind.
  ctx.textAlign = 'left'
  ctx.textBaseline = 'bottom'
  for (const group of groupsOf(marks, (ts) => plot.valToPos(ts, 'x', true), MARK_ROOM * ratio)) {
    const paint = colour(group.tone === 'bad' ? 'bad' : 'odd')
    ctx.strokeStyle = paint
    ctx.fillStyle = paint
    ctx.lineWidth = 1.5 * ratio
    ctx.setLineDash([4 * ratio, 3 * ratio])
    for (const x of group.places) {
      ctx.beginPath()
      ctx.moveTo(x, bbox.top)
      ctx.lineTo(x, bbox.top + bbox.height)
      ctx.stroke()
    }
    const width = ctx.measureText(group.text).width
    const start = Math.min(Math.max((group.places[0] ?? 0) - width / 2, bbox.left), right - width)
    ctx.fillText(group.text, start, bbox.top - 4 * ratio)
  }
  ctx.restore()
}

/** Marks in order of time; those without room for a text of their own are told together. */
function groupsOf(
  marks: readonly ScoreMark[],
  placeOf: (ts: number) => number,
  room: number,
): { text: string; tone: ScoreMark['tone']; places: number[] }[] {
  const groups: { text: string; tone: ScoreMark['tone']; places: number[] }[] = []
  for (const mark of [...marks].sort((a, b) => a.ts - b.ts)) {
    const x = placeOf(mark.ts)
    const last = groups.at(-1)
    if (last !== undefined && x - (last.places[0] ?? 0) < room) {
      last.text = `${last.text}, ${mark.text}`
      last.places.push(x)
    } else {
      groups.push({ text: mark.text, tone: mark.tone, places: [x] })
    }
  }
  return groups
}
