import { disturbances } from './disturbances.js'
import type { Donor } from './donors.js'
import type { Key, KeyedPrint } from './keys.js'
import { either, logit, sigmoid } from './logit.js'
import { chanceAt, makeRandom, normalAt, seedOf } from './random.js'
import type { Box } from './score-book.js'
import type { Source, Timeline, TimelineFrame } from './timeline.js'
import { TOOLPATH_GROWTH_MS } from './toolpath-times.js'

// Whole prints from few pictures: the scores between them, the places of the boxes, and what disturbs the camera meanwhile.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const INTERVAL_MS = 10_000
const HOURS = [2, 8] as const
const HOURS_BEFORE = [1, 4] as const
const LOST_SHARE = 0.01
/** A failed print goes on this long if nobody stops it. */
const GOES_ON_MS = 60 * MINUTE
/** A failure grows from nothing to its full size in this time. */
const GROWTH_MS = [6 * MINUTE, 40 * MINUTE] as const
/** How many good prints the printer had before. */
const PRINTS_BEFORE = [0, 0, 1, 2, 4]
/** A rendered printer has something in view that confuses, as real photos do, in this share of cases. */
const CONFUSED_SHARE = 1 / 3
/** Failures of printers unlike those in training score lower or higher by as much as real photos of failures differ. */
const MOST_SHIFT = [-2.5, 1.5] as const
const FLOOR = 0.08
const NEVER = -9

/** What a print is made of. */
export interface Recipe {
  readonly id: string
  readonly source: Source
  readonly half: 0 | 1
  readonly isFailing: boolean
  /** The print's pictures; for `photo`, of another print, whose failure only tells how scores rise while a failure grows. */
  readonly keyed: KeyedPrint
  /** A real photo of something good: what this printer's view scores, and how its camera is disturbed. */
  readonly good: Donor
  /** A real photo of a failure. */
  readonly failing: Donor
  /** The median score of all real photos of failures, as a logit. */
  readonly usualFailure: number
}

interface Point {
  readonly value: number
  readonly key: Key
}

/** The score's logit at `x` between keys that are sorted by `xOf`, and the key that is nearest. */
function between(keys: readonly Key[], xOf: (key: Key) => number, x: number): Point {
  const next = keys.findIndex((key) => xOf(key) >= x)
  const [b, a] = [
    keys[next === -1 ? keys.length - 1 : next],
    keys[next === -1 ? keys.length - 1 : Math.max(0, next - 1)],
  ]
  if (a === undefined || b === undefined) throw new Error('a print without keys')
  const share = xOf(b) === xOf(a) ? 1 : Math.min(1, Math.max(0, (x - xOf(a)) / (xOf(b) - xOf(a))))
  return { value: logit(a.score) * (1 - share) + logit(b.score) * share, key: share < 0.5 ? a : b }
}

interface Look {
  readonly value: number
  readonly boxes: readonly Box[]
  /** All findings' confidences over the highest. */
  readonly spread: number
}

const NOTHING: Look = { value: NEVER, boxes: [], spread: 1 }

function lookOf({ value, key }: Point): Look {
  return { value, boxes: key.boxes, spread: key.score < FLOOR ? 1 : Math.max(1, key.sum / key.score) }
}

/** The boxes as they would be if the best of them scored `value`. */
function boxesAt(look: Look, value: number, place: (box: Box) => [number, number]): Box[] {
  const [best] = look.boxes
  if (best === undefined) return []
  const move = value - logit(best[0])
  return look.boxes.flatMap((box): Box[] => {
    const confidence = sigmoid(logit(box[0]) + move)
    const [dx, dy] = place(box)
    return confidence <= FLOOR ? [] : [[confidence, box[1] + dx, box[2] + dy, box[3], box[4]]]
  })
}

/** The sum over all findings. Of a weaker look fewer findings are above the floor. */
function sumOf(look: Look, score: number): number {
  if (score <= FLOOR) return 0
  const share = Math.min(1, score / Math.max(FLOOR, sigmoid(look.value)))
  return score * (1 + (look.spread - 1) * share)
}

/** Whole prints on one printer: this one, and good ones before. */
export function simulate(recipe: Recipe): Timeline {
  const random = makeRandom('printer', recipe.id)
  const printer: Printer = {
    shakes: random.chance(0.5) ? random.range(5, 25) : 2,
    isConfused: recipe.source === 'photo' || random.chance(CONFUSED_SHARE),
  }
  const history = Array.from({ length: random.pick(PRINTS_BEFORE) }, (_, i) =>
    onePrint({ ...recipe, id: `${recipe.id}-before-${i}`, isFailing: false }, printer, []),
  )
  return onePrint(recipe, printer, history)
}

interface Printer {
  /** How far its bed moves in the picture, in pixels. */
  readonly shakes: number
  readonly isConfused: boolean
}

function onePrint(recipe: Recipe, { shakes, isConfused }: Printer, history: readonly Timeline[]): Timeline {
  const { id, keyed, good, failing, usualFailure, source } = recipe
  const random = makeRandom('print', id)
  const own = seedOf('frames', id)
  const hours = id.includes('before') ? HOURS_BEFORE : HOURS
  const durationMs = random.range(hours[0], hours[1]) * HOUR
  const failedAt = recipe.isFailing ? random.range(0.08, 0.9) * durationMs : null
  const growthMs = source === 'toolpath' ? TOOLPATH_GROWTH_MS : random.range(GROWTH_MS[0], GROWTH_MS[1])
  const visibleAt = failedAt === null ? null : failedAt + (source === 'photo' ? 0 : (keyed.visibleFrom ?? 1)) * growthMs
  const endAt =
    failedAt === null || visibleAt === null
      ? durationMs
      : Math.max(visibleAt, Math.min(durationMs, failedAt)) + GOES_ON_MS
  const disturbed = disturbances(id, endAt, source === 'photo')
  const goodKeys = keyed.keys.filter((key) => key.level === 0)
  const failingKeys = keyed.keys.filter((key) => key.level > 0)
  const lastProgress = Math.max(...goodKeys.map((key) => key.progress))
  const shift = Math.min(MOST_SHIFT[1], Math.max(MOST_SHIFT[0], failing.base - usualFailure))
  const photoLook: Look = { value: good.base, boxes: good.boxes, spread: good.spread }
  const photoFailure: Look = { value: failing.base, boxes: failing.boxes, spread: failing.spread }

  /** What the part itself looks like while it is good. */
  function partAt(at: number): Look {
    if (source === 'photo') return NOTHING
    const progress = (at / (failedAt ?? durationMs)) * lastProgress
    return lookOf(between(goodKeys, (key) => key.progress, Math.min(lastProgress, progress)))
  }

  /** What the failure looks like. */
  function failureAt(at: number): Look {
    if (failedAt === null || at < failedAt) return NOTHING
    const level = Math.min(1, (at - failedAt) / growthMs)
    const grown = between(failingKeys, (key) => key.level, level)
    if (source !== 'photo') return { ...lookOf(grown), value: grown.value + shift }
    const missing = Math.min(0, grown.value - between(failingKeys, (key) => key.level, 1).value)
    const size = Math.sqrt(0.1 + 0.9 * level)
    const boxes = photoFailure.boxes.map(([c, x, y, w, h]): Box => [c, x, y, w * size, h * size])
    return { ...photoFailure, value: photoFailure.value + missing, boxes }
  }

  function frame(at: number): TimelineFrame {
    const [part, failure] = [partAt(at), failureAt(at)]
    const view = isConfused ? photoLook : NOTHING
    const { move, isPassing } = disturbed.at(at, failure.value > Math.max(part.value, view.value) ? failing : good)
    const value = either(either(part.value, view.value), failure.value) + move
    const looks = [part, view, failure].sort((a, b) => b.value - a.value)
    const bed = shakes * normalAt(own, 11, at)
    const place = placeIn(own, at, isPassing, bed)
    const boxes = looks.flatMap((look, i) =>
      boxesAt(
        look,
        i === 0 ? value : look.value + move,
        look === view && !isPassing ? placeIn(own, at, false, 1) : place,
      ),
    )
    const score = sigmoid(value)
    const rest = looks.slice(1).reduce((total, look) => total + sumOf(look, sigmoid(look.value + move)), 0)
    const [first = NOTHING] = looks
    return { at, score, sum: sumOf(first, score) + rest, boxes: boxes.sort((a, b) => b[0] - a[0]).slice(0, 12) }
  }

  const known = new Map<number, TimelineFrame | undefined>()
  const grid: number[] = []
  const gridAt = (n: number): number => {
    grid[n] ??= Math.round(n * INTERVAL_MS + 3000 * chanceAt(own, 13, n) - 1500)
    return grid[n]
  }
  return {
    id,
    source,
    half: recipe.half,
    visibleAt,
    endAt,
    history,
    intervalMs: INTERVAL_MS,
    frameAt(at) {
      if (!known.has(at)) known.set(at, chanceAt(own, 12, at) < LOST_SHARE ? undefined : frame(at))
      return known.get(at)
    },
    next(at, wantedMs) {
      if (wantedMs < INTERVAL_MS) return at + wantedMs
      const n = Math.floor(at / INTERVAL_MS)
      for (let i = Math.max(0, n - 1); ; i++) if (gridAt(i) > at) return gridAt(i)
    },
  }
}

/** By how much a box is off in one frame: it trembles with the bed; in front of something that passes it is anywhere. */
function placeIn(seed: number, at: number, isPassing: boolean, bed: number): (box: Box) => [number, number] {
  const px = isPassing ? 500 * chanceAt(seed, 14, at) - 250 : 0
  const py = isPassing ? 360 * chanceAt(seed, 15, at) - 180 : 0
  return ([, x, , w, h]) => [px + 0.04 * w * normalAt(seed, at, x), py + bed + 0.04 * h * normalAt(seed, at, x + 1)]
}
