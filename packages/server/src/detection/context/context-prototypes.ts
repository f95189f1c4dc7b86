import { calibrated } from '../teaching/calibration.js'

// What the model saw in a camera's good frames, and in frames about which the user has answered. A frame that is near one of them has
// its score moved, within bounds: this adds to the model and never replaces it. Pure.

/** What the model saw, scaled to length 1. */
export type Direction = Float32Array

export interface CleanPrototype {
  readonly direction: Direction
  /** How much watched time it stands for, in milliseconds. */
  readonly learned_ms: number
}

/** What the model saw in a picture about which the user has answered. */
export interface AnswerPrototype {
  readonly direction: Direction
  /** The alert that the answer was about, so that it can be taken back; null when that is not known. */
  readonly alert_id: number | null
}

export interface Prototypes {
  readonly clean: readonly CleanPrototype[]
  /** How far good frames usually are from the nearest clean prototype (1 less the cosine). */
  readonly spread: number
  /** What the user said was a failure, and was none; the newest last. */
  readonly failures: readonly AnswerPrototype[]
  readonly not_failures: readonly AnswerPrototype[]
}

export const NO_PROTOTYPES: Prototypes = { clean: [], spread: 0, failures: [], not_failures: [] }

export const MAX_CLEAN = 8
export const MAX_ANSWERS = 12
/** The most that all of it moves a score, in logits. */
export const MOST_SHIFT = 1.5
/** The most that looking like good frames takes away. Small failures look much like good frames, so this is little. */
const MOST_CLEAN_SHIFT = 0.5
/** What one answer about the very same picture adds; each further one adds less. */
const ANSWER_STEP = 0.3
const MOST_ANSWER_SHIFT = 1
const FULL_TRUST_MS = 2 * 3_600_000
/** Frames are never closer to each other than this, for noise and compression. */
const LEAST_SPREAD = 0.004
/** A new prototype begins this many spreads from the others. */
const APART = 4
const MOST_PER_FRAME_MS = 60_000

/** The direction of what a model saw; undefined when it saw nothing at all. */
export function directionOf(embedding: Float32Array): Direction | undefined {
  const length = Math.hypot(...embedding)
  return length > 0 && Number.isFinite(length) ? embedding.map((value) => value / length) : undefined
}

function distance(a: Direction, b: Direction): number {
  let cosine = 0
  for (let i = 0; i < a.length; i++) cosine += (a[i] ?? 0) * (b[i] ?? 0)
  return a.length === b.length ? Math.max(0, 1 - cosine) : 2
}

function nearest(seen: Direction, prototypes: readonly CleanPrototype[]): { index: number; far: number } {
  let best = { index: -1, far: 2 }
  for (const [index, { direction }] of prototypes.entries()) {
    const far = distance(seen, direction)
    if (far < best.far) best = { index, far }
  }
  return best
}

function moved(prototype: CleanPrototype, seen: Direction, weight: number): CleanPrototype {
  const learned_ms = prototype.learned_ms + weight
  const share = weight / Math.min(learned_ms, FULL_TRUST_MS)
  const mean = prototype.direction.map((value, i) => value + ((seen[i] ?? 0) - value) * share)
  return { direction: directionOf(mean) ?? seen, learned_ms }
}

/** Learns from a frame that looks good; `sinceMs` is the time since the one before. */
export function learnClean(prototypes: Prototypes, seen: Direction, sinceMs: number): Prototypes {
  const weight = Math.min(MOST_PER_FRAME_MS, Math.max(1, sinceMs))
  const { clean } = prototypes
  const { index, far } = nearest(seen, clean)
  // Another model's numbers: what was learned with the old one says nothing.
  const isOther = clean[0] !== undefined && clean[0].direction.length !== seen.length
  if (isOther || clean.length === 0) {
    return { ...(isOther ? NO_PROTOTYPES : prototypes), clean: [{ direction: seen, learned_ms: weight }] }
  }
  const limit = APART * Math.max(LEAST_SPREAD, prototypes.spread)
  if (far > limit && clean.length < MAX_CLEAN) {
    return { ...prototypes, clean: [...clean, { direction: seen, learned_ms: weight }] }
  }
  const share = weight / Math.min(FULL_TRUST_MS, cleanTime(prototypes) + weight)
  return {
    ...prototypes,
    clean: clean.map((prototype, i) => (i === index ? moved(prototype, seen, weight) : prototype)),
    spread: prototypes.spread + (far - prototypes.spread) * share,
  }
}

/** How much watched time the clean prototypes stand for, in milliseconds. */
export function cleanTime({ clean }: Prototypes): number {
  return clean.reduce((sum, { learned_ms }) => sum + learned_ms, 0)
}

/** Learns from an answer; the oldest of too many is forgotten. */
export function learnAnswer(
  prototypes: Prototypes,
  seen: Direction,
  answer: 'FAILED' | 'NOT_FAILED',
  alert_id: number | null = null,
): Prototypes {
  const kind = answer === 'FAILED' ? 'failures' : 'not_failures'
  return { ...prototypes, [kind]: [...prototypes[kind], { direction: seen, alert_id }].slice(-MAX_ANSWERS) }
}

/** What was learned from the answer about an alert, when there is something. */
export function findAnswer({ failures, not_failures }: Prototypes, alertId: number): AnswerPrototype | undefined {
  return [...failures, ...not_failures].find(({ alert_id }) => alert_id === alertId)
}

/** Forgets what was learned from the answer about an alert. */
export function forgetAnswer(prototypes: Prototypes, alertId: number): Prototypes {
  const others = ({ alert_id }: AnswerPrototype): boolean => alert_id !== alertId
  const { failures, not_failures } = prototypes
  return { ...prototypes, failures: failures.filter(others), not_failures: not_failures.filter(others) }
}

/** How many answers speak of this frame: each counts by how near its picture was. */
function votes(seen: Direction, answers: readonly AnswerPrototype[], reach: number): number {
  return answers.reduce((sum, { direction }) => sum + Math.exp(-((distance(seen, direction) / reach) ** 2)), 0)
}

/** By how much the frame's score is moved, in logits: down for what looks like good frames, by the user's answers either way. */
export function prototypeShift(prototypes: Prototypes, seen: Direction): number {
  const spread = Math.max(LEAST_SPREAD, prototypes.spread)
  const nearness = Math.max(0, 1 - nearest(seen, prototypes.clean).far / (2 * spread))
  const trust = Math.min(1, cleanTime(prototypes) / FULL_TRUST_MS)
  const reach = APART * spread
  const said = votes(seen, prototypes.failures, reach) - votes(seen, prototypes.not_failures, reach)
  const answers = MOST_ANSWER_SHIFT * Math.tanh((ANSWER_STEP / MOST_ANSWER_SHIFT) * said)
  const shift = answers - MOST_CLEAN_SHIFT * trust * nearness
  return Math.min(MOST_SHIFT, Math.max(-MOST_SHIFT, shift))
}

/** A score moved by what is known of the camera. */
export function byPrototypes(score: number, shift: number): number {
  return calibrated(score, shift)
}
