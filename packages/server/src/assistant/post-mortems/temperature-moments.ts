import type { TemperatureReading } from '../../prints/temperatures.js'
import { durationWords } from './plain-words.js'
import type { DraftMoment } from './print-past.js'

/** One reading of one heater, in °C. */
interface Point {
  readonly at: number
  readonly actual: number
  readonly target: number | null
}

interface Weighed extends DraftMoment {
  /** How much it matters when there are too many. */
  readonly weight: number
}

const MAX_MOMENTS = 9
/** As near to its target a heater has reached it. */
const REACHED_DEGREES = 3
/** As far from it, once reached, it is not holding it. Beds and chambers move slowly, so less is odd. */
const OFF_DEGREES = { tool: 8, other: 5 }
/** A target that moves less is a slicer's layer-by-layer setting. */
const TARGET_DEGREES = 10

/** What the heaters did that was not asked of them, when they were turned off, and how warm they were at the end. */
export function temperatureMoments(readings: readonly TemperatureReading[]): DraftMoment[] {
  const names = new Set(readings.flatMap(({ heaters }) => Object.keys(heaters)))
  const moments = [...names].flatMap((name) => heaterMoments(name, pointsOf(readings, name)))
  const worst = moments.toSorted((a, b) => b.weight - a.weight || b.at - a.at).slice(0, MAX_MOMENTS)
  return [...worst.map(({ kind, at, text }) => ({ kind, at, text })), ...lastMoment(readings)]
}

function pointsOf(readings: readonly TemperatureReading[], name: string): Point[] {
  return readings.flatMap(({ at, heaters }) => {
    const heater = heaters[name]
    return heater === undefined ? [] : [{ at, actual: heater[0], target: heater[1] }]
  })
}

/** Points in a row that have the same target: a slicer's small steps do not count as another one. */
function heaterMoments(name: string, points: readonly Point[]): Weighed[] {
  const stretches: Point[][] = []
  for (const point of points) {
    const stretch = stretches.at(-1)
    const before = stretch?.[0]
    const isSame = before !== undefined && isOn(before) === isOn(point) && stepOf(before, point) < TARGET_DEGREES
    if (isSame) stretch?.push(point)
    else stretches.push([point])
  }
  return stretches.flatMap((stretch, index) => [
    ...changeMoments(name, stretches[index - 1]?.at(-1), stretch[0]),
    ...stretchMoments(name, stretch),
  ])
}

const isOn = ({ target }: Point): boolean => (target ?? 0) > 0
const stepOf = (a: Point, b: Point): number => Math.abs((a.target ?? 0) - (b.target ?? 0))

function changeMoments(name: string, before: Point | undefined, now: Point | undefined): Weighed[] {
  if (before === undefined || now === undefined) return []
  const { at } = now
  const was = degrees(before.target ?? 0)
  if (!isOn(now)) {
    const text = `The target of ${name} went from ${was} to 0: it was turned off, at ${degrees(now.actual)}.`
    return [{ kind: 'temperature', at, text, weight: 50 }]
  }
  const text = `The target of ${name} went from ${was} to ${degrees(now.target ?? 0)}.`
  return [{ kind: 'temperature', at, text, weight: isOn(before) ? 20 : 10 }]
}

/** While one target holds: that it was not reached, or not held. */
function stretchMoments(name: string, points: readonly Point[]): Weighed[] {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined || !isOn(first)) return []
  const reached = points.findIndex((point) => errorOf(point) <= REACHED_DEGREES)
  if (reached >= 0) return lapsesOf(name, points.slice(reached))
  if (last.at === first.at) return []
  const nearest = points.reduce((best, point) => (errorOf(point) < errorOf(best) ? point : best))
  const text = `${name} did not reach its target of ${degrees(last.target ?? 0)} within ${durationWords(last.at - first.at)}; the nearest was ${degrees(nearest.actual)}.`
  return [{ kind: 'temperature', at: last.at, text, weight: 90 }]
}

/** Times in which a heater was far from the target that it had reached. */
function lapsesOf(name: string, points: readonly Point[]): Weighed[] {
  const limit = name.startsWith('tool') || name.startsWith('extruder') ? OFF_DEGREES.tool : OFF_DEGREES.other
  const lapses: Weighed[] = []
  let lapse: Point[] = []
  for (const point of points) {
    if (errorOf(point) > limit) {
      lapse.push(point)
      continue
    }
    lapses.push(...lapseMoment(name, lapse, point))
    lapse = []
  }
  return [...lapses, ...lapseMoment(name, lapse, undefined)]
}

function lapseMoment(name: string, lapse: readonly Point[], back: Point | undefined): Weighed[] {
  const [first] = lapse
  const last = lapse.at(-1)
  if (first === undefined || last === undefined) return []
  const worst = lapse.reduce((a, b) => (errorOf(b) > errorOf(a) ? b : a))
  const way = worst.actual < (worst.target ?? 0) ? 'fell to' : 'rose to'
  const until =
    back === undefined
      ? 'and was not at its target again'
      : `and was back near it ${durationWords(back.at - first.at)} later`
  const text = `${name} ${way} ${degrees(worst.actual)} with a target of ${degrees(worst.target ?? 0)}, ${until}.`
  return [{ kind: 'temperature', at: first.at, text, weight: 100 + errorOf(worst) }]
}

const errorOf = ({ actual, target }: Point): number => Math.abs(actual - (target ?? 0))

function lastMoment(readings: readonly TemperatureReading[]): DraftMoment[] {
  const last = readings.at(-1)
  if (last === undefined) return []
  const heaters = Object.entries(last.heaters).map(([name, [actual, target]]) => {
    const wanted = target === null ? '' : target === 0 ? ' (off)' : ` of ${degrees(target)}`
    return `${name} ${degrees(actual)}${wanted}`
  })
  return [{ kind: 'temperature', at: last.at, text: `The last temperatures: ${heaters.join(', ')}.` }]
}

const degrees = (value: number): string => `${Math.round(value)} °C`
