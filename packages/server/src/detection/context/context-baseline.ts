import { beyond, emptyMap, type ScoreMap, widened } from './score-map.js'

// What a camera's good frames score, place by place: what always scores there is the printer, not a failure. Pure.

/** What was learned of one camera. */
export interface Baseline {
  /** The upper end of what good frames score. */
  readonly map: ScoreMap
  /** How much watched time it was learned from, in milliseconds. */
  readonly learned_ms: number
  /** The same with frames that still have to prove themselves; null when there are none. */
  readonly pending: { readonly map: ScoreMap; readonly learned_ms: number; readonly waiting_ms: number } | null
  /** What answers of the user have raised, the newest last, so that they can be taken back. */
  readonly accepted: readonly Accepted[]
}

/** What one answer has raised. */
export interface Accepted {
  readonly alert_id: number
  /** The cells, and what they were before. */
  readonly cells: readonly (readonly [cell: number, before: number])[]
  /** For how much watched time it counted, in milliseconds. */
  readonly learned_ms: number
}

export const NO_BASELINE: Baseline = { map: emptyMap(), learned_ms: 0, pending: null, accepted: [] }

/** Older answers than so many cannot be taken back any more. */
export const MAX_ACCEPTED = 12

/** A frame stands for the time since the last one, but not for more than this: nobody knows what happened in a gap. */
const MOST_PER_FRAME_MS = 60_000
/** Frames count once nothing has gone wrong for this long after them: a failure is often there before it is noticed. */
const PROBATION_MS = 30 * 60_000
/** Older frames than this are forgotten, bit by bit. */
const MEMORY_MS = 3 * 3_600_000
/** It counts in full after this much learning. */
const FULL_TRUST_MS = 3_600_000
const MOST_EXPLAINED = 0.95
/** How much more a frame moves a cell up than down: nine parts in ten of all good frames score less than what is learned. */
const UP = 0.9

/** How far the baseline counts, 0 to 1. */
export function baselineTrust({ learned_ms }: Baseline): number {
  return Math.min(1, learned_ms / FULL_TRUST_MS)
}

function blended(map: ScoreMap, seen: ScoreMap, share: number): ScoreMap {
  return map.map((level, i) => {
    const step = (seen[i] ?? 0) - level
    return level + step * share * (step > 0 ? UP : 1 - UP) * 2
  })
}

/** Learns from a frame that looks good; `sinceMs` is the time since the one before. */
export function learnBaseline(baseline: Baseline, seen: ScoreMap, sinceMs: number): Baseline {
  const weight = Math.min(MOST_PER_FRAME_MS, Math.max(0, sinceMs))
  const { map, learned_ms, waiting_ms } = baseline.pending ?? { ...baseline, waiting_ms: 0 }
  const total = learned_ms + weight
  const share = total === 0 ? 0 : Math.min(0.5, weight / Math.min(MEMORY_MS, total))
  const pending = { map: blended(map, seen, share), learned_ms: total, waiting_ms: waiting_ms + weight }
  if (pending.waiting_ms < PROBATION_MS) return { ...baseline, pending }
  return { ...baseline, map: pending.map, learned_ms: total, pending: null }
}

/** Something looks like a failure: the frames before it are not learned from. */
export function distrust(baseline: Baseline): Baseline {
  return baseline.pending === null ? baseline : { ...baseline, pending: null }
}

/**
 * The user says that this was no failure: what was seen there is the printer. It counts at once, as an hour of watching would.
 *
 * @param alertId the alert that the answer is about; null when it can never be taken back
 */
export function acceptAsUsual(baseline: Baseline, seen: ScoreMap, alertId: number | null = null): Baseline {
  const map = baseline.map.map((level, i) => Math.max(level, seen[i] ?? 0))
  const learned_ms = Math.max(baseline.learned_ms, FULL_TRUST_MS)
  const cells = [...baseline.map.entries()].filter(([cell, before]) => (map[cell] ?? 0) > before)
  const raised = alertId === null ? [] : [{ alert_id: alertId, cells, learned_ms: learned_ms - baseline.learned_ms }]
  return { map, learned_ms, pending: null, accepted: [...baseline.accepted, ...raised].slice(-MAX_ACCEPTED) }
}

/** The answer about an alert is taken back: the cells that it raised are what they were, or what was learned since, if that is less. */
export function takeBackUsual(baseline: Baseline, alertId: number): Baseline {
  const gone = baseline.accepted.find(({ alert_id }) => alert_id === alertId)
  if (gone === undefined) return baseline
  const map = Float32Array.from(baseline.map)
  for (const [cell, before] of gone.cells) map[cell] = Math.min(map[cell] ?? 0, before)
  return {
    map,
    learned_ms: Math.max(0, baseline.learned_ms - gone.learned_ms),
    pending: null,
    accepted: baseline.accepted.filter((one) => one !== gone),
  }
}

/** What goes beyond the baseline. */
export function beyondBaseline(map: ScoreMap, baseline: Baseline): ScoreMap {
  const trust = baselineTrust(baseline)
  return trust === 0 ? map : beyond(map, widened(baseline.map), MOST_EXPLAINED, () => trust)
}
