import { makeRandom } from '../training/toolpaths/random.js'

// Statistics over pictures that were looked at, each counted as often as a draw says. Pure functions.

/** One picture that was looked at. */
export interface Sample {
  readonly file: string
  /** Pictures of one scene share a group: they are drawn together where intervals are made. */
  readonly group: string
  readonly source: string
  readonly isFailing: boolean
  readonly score: number
  /** How many boxes are labelled in it. */
  readonly labelled: number
  /** What was found, and whether it meets a labelled box that nothing surer has met. */
  readonly found: readonly { readonly confidence: number; readonly isHit: boolean }[]
}

/** Samples in order of score, each drawn as often as `weights` says. */
export interface Ranked {
  readonly samples: readonly Sample[]
  /** By rising score. */
  readonly order: readonly number[]
  /** All findings, the surest first. */
  readonly findings: readonly { readonly confidence: number; readonly isHit: boolean; readonly sample: number }[]
}

export function ranked(samples: readonly Sample[]): Ranked {
  const scoreOf = (i: number): number => samples[i]?.score ?? 0
  return {
    samples,
    order: samples.map((_, i) => i).sort((a, b) => scoreOf(a) - scoreOf(b)),
    findings: samples
      .flatMap(({ found }, sample) => found.map((finding) => ({ ...finding, sample })))
      .sort((a, b) => b.confidence - a.confidence),
  }
}

/** How often each sample is drawn. */
export type Weights = Uint16Array

export function countOf({ samples }: Ranked, weights: Weights, isFailing: boolean): number {
  return samples.reduce((sum, sample, i) => sum + (sample.isFailing === isFailing ? (weights[i] ?? 0) : 0), 0)
}

/** The chance that a failing picture scores higher than a good one; a tie counts half. */
export function auc({ samples, order }: Ranked, weights: Weights): number | null {
  let [good, pairs, bad] = [0, 0, 0]
  for (let i = 0; i < order.length; ) {
    const score = samples[order[i] ?? 0]?.score ?? 0
    let [goodHere, badHere] = [0, 0]
    for (; i < order.length && samples[order[i] ?? 0]?.score === score; i++) {
      const weight = weights[order[i] ?? 0] ?? 0
      if (samples[order[i] ?? 0]?.isFailing === true) badHere += weight
      else goodHere += weight
    }
    pairs += badHere * (good + goodHere / 2)
    good += goodHere
    bad += badHere
  }
  return good === 0 || bad === 0 ? null : pairs / good / bad
}

/** The lowest score above which at most this share of good pictures lies. */
export function thresholdAt({ samples, order }: Ranked, weights: Weights, fpr: number, good: number): number | null {
  let allowed = Math.floor(fpr * good)
  for (let i = order.length - 1; i >= 0; i--) {
    const sample = samples[order[i] ?? 0]
    if (sample === undefined || sample.isFailing) continue
    allowed -= weights[order[i] ?? 0] ?? 0
    if (allowed < 0) return sample.score
  }
  return null
}

/** The share of failing (or of good) pictures above a threshold. */
export function shareAbove(
  { samples }: Ranked,
  weights: Weights,
  threshold: number | null,
  isFailing: boolean,
): number | null {
  if (threshold === null) return null
  let [above, all] = [0, 0]
  for (const [i, sample] of samples.entries()) {
    if (sample.isFailing !== isFailing) continue
    all += weights[i] ?? 0
    if (sample.score > threshold) above += weights[i] ?? 0
  }
  return all === 0 ? null : above / all
}

/** Average precision of boxes: at each recall the best precision to be had at that recall or more. */
export function averagePrecision({ samples, findings }: Ranked, weights: Weights): number | null {
  const total = samples.reduce((sum, { labelled }, i) => sum + labelled * (weights[i] ?? 0), 0)
  if (total === 0) return null
  let [hits, all] = [0, 0]
  const steps: { precision: number; gained: number }[] = []
  for (const { isHit, sample } of findings) {
    const weight = weights[sample] ?? 0
    all += weight
    if (isHit) hits += weight
    if (isHit && weight > 0) steps.push({ precision: hits / all, gained: weight })
  }
  let [best, sum] = [0, 0]
  for (const { precision, gained } of steps.toReversed()) {
    best = Math.max(best, precision)
    sum += best * gained
  }
  return sum / total
}

export function grouped<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of list) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

/** How often each picture is drawn when as many groups as there are, are drawn with replacement. */
export function* draws(samples: readonly Sample[], rounds: number, seed: number): Generator<Weights> {
  const groups = [...grouped([...samples.keys()], (i) => samples[i]?.group ?? '').values()]
  const random = makeRandom(seed)
  for (let round = 0; round < rounds; round++) {
    const weights = new Uint16Array(samples.length)
    for (let n = 0; n < groups.length; n++) for (const i of random.pick(groups)) weights[i] = (weights[i] ?? 0) + 1
    yield weights
  }
}

export function intervalOf(values: readonly (number | null)[]): readonly [number, number] | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b)
  if (sorted.length < values.length / 2) return null
  const at = (share: number): number => {
    const place = share * (sorted.length - 1)
    const [low = 0, high = 0] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
    return low + (high - low) * (place % 1)
  }
  return [at(0.025), at(0.975)]
}
