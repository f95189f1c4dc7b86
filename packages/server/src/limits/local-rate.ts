import { type Bucket, fullAfterMs, type Rate, take } from './token-bucket.js'

/** So many are remembered before those that are back at their full allowance are forgotten. */
const PRUNE_ABOVE = 1000

/** A rate for each key that this node counts by itself: for what is asked so often that asking elsewhere would cost more than the thing. */
export class LocalRate<Key = number> {
  readonly #buckets = new Map<Key, Bucket>()
  #pruneAbove = PRUNE_ABOVE

  constructor(readonly rate: Rate) {}

  /** Takes `cost`; says how long to wait in milliseconds when it is not there, else 0. */
  take(key: Key, cost: number, now: number): number {
    const { bucket, waitMs } = take(this.#buckets.get(key), this.rate, cost, now)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > this.#pruneAbove) this.#prune(now)
    return waitMs
  }

  #prune(now: number): void {
    const fullMs = fullAfterMs(this.rate)
    for (const [key, { at }] of this.#buckets) if (now - at >= fullMs) this.#buckets.delete(key)
    this.#pruneAbove = Math.max(PRUNE_ABOVE, this.#buckets.size * 2)
  }
}
