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

/** Takes `cost` from the bucket when it is there. What is refused costs nothing, so waiting helps. */
export function take(bucket: Bucket | undefined, rate: Rate, cost: number, now: number): Take {
  const elapsedMs = Math.max(0, now - (bucket?.at ?? now))
  const tokens = Math.min(rate.burst, (bucket?.tokens ?? rate.burst) + (elapsedMs * rate.perSecond) / 1000)
  // A single cost above the burst is allowed when the bucket is full, else it never would be.
  const needed = Math.min(cost, rate.burst)
  if (tokens < needed) return { bucket: { tokens, at: now }, waitMs: ((needed - tokens) * 1000) / rate.perSecond }
  return { bucket: { tokens: tokens - needed, at: now }, waitMs: 0 }
}

/** Whether the bucket is full again, so that forgetting it changes nothing. */
export function isFull(bucket: Bucket, rate: Rate, now: number): boolean {
  return bucket.tokens + ((now - bucket.at) * rate.perSecond) / 1000 >= rate.burst
}
