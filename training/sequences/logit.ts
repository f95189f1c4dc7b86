const EDGE = 1e-4

export function logit(score: number): number {
  const inside = Math.min(1 - EDGE, Math.max(EDGE, score))
  return Math.log(inside / (1 - inside))
}

export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

/** The logit of two independent reasons for one score: the stronger one, or a little more where both are strong. */
export function either(a: number, b: number): number {
  const [high, low] = a > b ? [a, b] : [b, a]
  return high + Math.log1p(Math.exp(low - high)) * 0.5
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
}

/** The value below which `share` of them lie; those that are infinite count as the highest. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
