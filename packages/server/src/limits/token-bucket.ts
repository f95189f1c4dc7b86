import { CLOCK_SKEW_MS } from '../clock-skew.js'

/** How much of something is allowed: `burst` at once, `perSecond` in the long run. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** What is left of an allowance; undefined stands for one that was never touched. */
export interface Bucket {
  readonly tokens: number
  readonly at: number
}

export interface Take {
  readonly bucket: Bucket
  /** How long to wait before trying again; 0 when it was allowed. */
  readonly waitMs: number
}

/** As `Take`, with how much was taken. */
export interface TakeSome extends Take {
  readonly taken: number
}

/** Takes `cost` from the bucket when it is there. What is refused costs nothing, so waiting helps. */
export function take(bucket: Bucket | undefined, rate: Rate, cost: number, now: number): Take {
  const { bucket: after, waitMs } = takeSome(bucket, rate, { least: cost, most: cost }, now)
  return { bucket: after, waitMs }
}

/**
 * Takes as much as there is up to `most`, or to that `share` of what there is if it is more (0 unless stated), but nothing when `least` is
 * not there.
 */
export function takeSome(
  bucket: Bucket | undefined,
  rate: Rate,
  { least, most, share = 0 }: { readonly least: number; readonly most: number; readonly share?: number },
  now: number,
): TakeSome {
  const { tokens, at } = refilled(bucket, rate, now)
  // A single cost above the burst is allowed when the bucket is full, else it never would be.
  const needed = Math.min(least, rate.burst)
  if (tokens < needed) {
    return { bucket: { tokens, at }, taken: 0, waitMs: ((needed - tokens) * 1000) / rate.perSecond }
  }
  const wanted = Math.max(most, Math.floor(tokens * share))
  const taken = Math.max(needed, Math.min(wanted, Math.floor(tokens)))
  return { bucket: { tokens: tokens - taken, at }, taken, waitMs: 0 }
}

/** Puts back what was taken and not used; there is never more than a burst. */
export function putBack(bucket: Bucket | undefined, rate: Rate, count: number, now: number): Bucket {
  const { tokens, at } = refilled(bucket, rate, now)
  return { tokens: Math.min(rate.burst, tokens + count), at }
}

/**
 * Takes `cost` whether it is there or not, for what is known only afterwards. What is missing flows in before anybody is given more; it is
 * never more than a burst.
 */
export function owe(bucket: Bucket | undefined, rate: Rate, cost: number, now: number): Bucket {
  const { tokens, at } = refilled(bucket, rate, now)
  return { tokens: Math.max(-rate.burst, tokens - cost), at }
}

/** The bucket with what has flowed in until now. */
function refilled(bucket: Bucket | undefined, rate: Rate, now: number): Bucket {
  const before = bucket ?? { tokens: rate.burst, at: now }
  const isAhead = before.at > now && before.at - now <= CLOCK_SKEW_MS
  // Else two nodes in turn, one of them a little behind, would each time be given what lies between their clocks.
  const at = isAhead ? before.at : now
  return { tokens: Math.min(rate.burst, before.tokens + (Math.max(0, at - before.at) * rate.perSecond) / 1000), at }
}

/** How long a bucket takes until it is full, at most, in milliseconds: from then on forgetting it changes nothing. */
export const fullAfterMs = ({ perSecond, burst }: Rate, { tokens } = { tokens: 0 }): number =>
  ((burst - Math.min(0, tokens)) * 1000) / perSecond
