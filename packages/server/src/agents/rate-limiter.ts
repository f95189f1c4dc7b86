import { type Bucket, isFull, type Rate, take } from './token-bucket.js'

/** So many are remembered before those that are back at their full allowance are forgotten. */
const PRUNE_ABOVE = 1000

/** An allowance for each printer, address or whatever else it is counted by. */
export class RateLimiter<Key = number> {
  readonly #rate: Rate
  readonly #buckets = new Map<Key, Bucket>()
  #pruneAbove = PRUNE_ABOVE

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** Takes one; says how long to wait when there is none, else 0. */
  take(key: Key, now: number): number {
    const { bucket, waitMs } = take(this.#buckets.get(key), this.#rate, 1, now)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > this.#pruneAbove) this.#prune(now)
    return waitMs
  }

  #prune(now: number): void {
    for (const [id, bucket] of this.#buckets) {
      if (isFull(bucket, this.#rate, now)) this.#buckets.delete(id)
    }
    this.#pruneAbove = Math.max(PRUNE_ABOVE, this.#buckets.size * 2)
  }
}
