import {
  auc,
  averagePrecision,
  countOf,
  draws,
  grouped,
  intervalOf,
  type Ranked,
  ranked,
  type Sample,
  shareAbove,
  thresholdAt,
  type Weights,
} from './model-eval-statistics.js'

// How well a detector tells failures from good prints. Pure functions; what is drawn by chance comes from a seed.

/** A box with corners in shares of the picture: left, top, right, bottom. */
export type Corners = readonly [number, number, number, number]

/** A figure and the interval in which it lies with 95 %; null where it is not defined. */
export interface Figure {
  readonly value: number | null
  readonly interval: readonly [number, number] | null
}

export interface Figures {
  readonly failing: number
  readonly good: number
  readonly groups: number
  readonly auc: Figure
  readonly recallAtFpr1: Figure
  readonly recallAtFpr5: Figure
  /** Scores above these are failures at these false-positive rates. */
  readonly thresholdAtFpr1: number | null
  readonly thresholdAtFpr5: number | null
  readonly ap50: Figure
  readonly recallAtCut: Figure
  readonly fprAtCut: Figure
}

/** Figures of the pictures of one source. */
export interface SourceFigures {
  readonly source: string
  readonly failing: number
  readonly good: number
  readonly recallAtCut: Figure
  readonly fprAtCut: Figure
}

export function overlapOf(a: Corners, b: Corners): number {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0])
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1])
  if (width <= 0 || height <= 0) return 0
  const areaOf = (box: Corners): number => (box[2] - box[0]) * (box[3] - box[1])
  return (width * height) / (areaOf(a) + areaOf(b) - width * height)
}

/** Which of the boxes found, the surest first, meet a labelled box: each the free one that it overlaps most, by 0.5 at least. */
export function matched(
  found: readonly { readonly confidence: number; readonly box: Corners }[],
  labelled: readonly Corners[],
): Sample['found'] {
  const free = [...labelled]
  return [...found]
    .sort((a, b) => b.confidence - a.confidence)
    .map(({ confidence, box }) => {
      const overlaps = free.map((label) => overlapOf(box, label))
      const best = overlaps.indexOf(Math.max(...overlaps))
      const isHit = (overlaps[best] ?? 0) >= 0.5
      if (isHit) free.splice(best, 1)
      return { confidence, isHit }
    })
}

type Measure = (data: Ranked, weights: Weights) => number | null

function figuresOf(samples: readonly Sample[], measures: readonly Measure[], rounds: number, seed: number): Figure[] {
  const data = ranked(samples)
  const once = new Uint16Array(samples.length).fill(1)
  const drawn = measures.map((): (number | null)[] => [])
  for (const weights of draws(samples, rounds, seed)) {
    for (const [i, figure] of measures.entries()) drawn[i]?.push(figure(data, weights))
  }
  return measures.map((figure, i) => {
    const value = figure(data, once)
    return { value, interval: value === null ? null : intervalOf(drawn[i] ?? []) }
  })
}

/**
 * A share of which no draw can tell how sure it is, as all or none were so, with the interval of Wilson's score instead.
 * `count`: how many independent things the share is of.
 */
function steadied({ value, interval }: Figure, count: number): Figure {
  if (value === null || interval === null || interval[1] > interval[0] || count === 0) return { value, interval }
  const squared = 1.96 ** 2
  const middle = (value + squared / (2 * count)) / (1 + squared / count)
  const reach =
    (1.96 * Math.sqrt((value * (1 - value)) / count + squared / (4 * count * count))) / (1 + squared / count)
  return { value, interval: [Math.max(0, middle - reach), Math.min(1, middle + reach)] }
}

const recallAt =
  (fpr: number): Measure =>
  (data, weights) =>
    shareAbove(data, weights, thresholdAt(data, weights, fpr, countOf(data, weights, false)), true)

/** All figures of one set of pictures. `cut`: the model's own threshold. Intervals by `rounds` draws of groups. */
export function measure(samples: readonly Sample[], cut: number, rounds = 2000, seed = 1): Figures {
  const none: Figure = { value: null, interval: null }
  const measures: readonly Measure[] = [
    auc,
    recallAt(0.01),
    recallAt(0.05),
    averagePrecision,
    (data, weights) => shareAbove(data, weights, cut, true),
    (data, weights) => shareAbove(data, weights, cut, false),
  ]
  const [area = none, recallAtFpr1 = none, recallAtFpr5 = none, ap50 = none, recallAtCut = none, fprAtCut = none] =
    figuresOf(samples, measures, rounds, seed)
  const data = ranked(samples)
  const once = new Uint16Array(samples.length).fill(1)
  const good = countOf(data, once, false)
  const groupsOf = (isFailing: boolean): number =>
    new Set(samples.filter((sample) => sample.isFailing === isFailing).map(({ group }) => group)).size
  return {
    failing: samples.length - good,
    good,
    groups: new Set(samples.map(({ group }) => group)).size,
    auc: area,
    recallAtFpr1,
    recallAtFpr5,
    thresholdAtFpr1: thresholdAt(data, once, 0.01, good),
    thresholdAtFpr5: thresholdAt(data, once, 0.05, good),
    ap50,
    recallAtCut: steadied(recallAtCut, groupsOf(true)),
    fprAtCut: steadied(fprAtCut, groupsOf(false)),
  }
}

/** What was found and what was wrongly found, source by source. */
export function measureSources(samples: readonly Sample[], cut: number, rounds = 500, seed = 1): SourceFigures[] {
  const bySource = grouped(samples, ({ source }) => source)
  return [...bySource.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([source, own]) => {
      const { failing, good, recallAtCut, fprAtCut } = measure(own, cut, rounds, seed)
      return { source, failing, good, recallAtCut, fprAtCut }
    })
}
