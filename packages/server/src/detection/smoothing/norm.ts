// What a printer's good frames score, and how much that varies: learned over hours, so that bars can be set in the printer's own
// measure. All of it in log-odds: there a quiet printer's 0.02 and its 0.06 are as far apart as 0.5 and 0.75, and a model with
// another scale moves norm and spread alike. Pure.

/** What a good print scores before the printer's own frames have taught better. */
export const NORM_PRIOR = 0.15
/** How far, in log-odds, good frames are from their norm before the printer's own have taught better. */
export const SPREAD_PRIOR = 0.6
/** How much time of the printer's own frames the two above are worth. */
const PRIOR_MS = 20 * 60_000
/** Older frames than this are forgotten, bit by bit. */
const MEMORY_MS = 20 * 3_600_000
/** Good pictures below this are all alike; how far below says nothing. */
const LEAST = 0.01

/** The part of a smoothing state that is learned. */
export interface Norm {
  readonly rolling_mean_long: number
  readonly spread: number
  readonly learned_ms: number
}

/** The logarithm of a share's odds; shares within `edge` of 0 or 1 count as being at it. */
export function logOdds(share: number, edge: number): number {
  const inside = Math.min(1 - edge, Math.max(edge, share))
  return Math.log(inside / (1 - inside))
}

const shareOf = (odds: number): number => 1 / (1 + Math.exp(-odds))

/** A mean over all the time seen so far, and later over the last `windowMs`. */
export function runningMean(mean: number, value: number, ms: number, seenMs: number, windowMs: number): number {
  return mean + (value - mean) * (ms / (Math.min(seenMs, windowMs) + ms))
}

/** Adds `ms` of a score to what is the printer's norm. */
export function learnNorm<State extends Norm>(state: State, score: number, ms: number): State {
  const towards = (mean: number, value: number): number =>
    runningMean(mean, value, ms, PRIOR_MS + state.learned_ms, MEMORY_MS)
  const [before, seen] = [logOdds(state.rolling_mean_long, LEAST), logOdds(score, LEAST)]
  const norm = towards(before, seen)
  return {
    ...state,
    rolling_mean_long: shareOf(norm),
    spread: towards(state.spread, Math.abs(seen - norm)),
    learned_ms: state.learned_ms + ms,
  }
}
