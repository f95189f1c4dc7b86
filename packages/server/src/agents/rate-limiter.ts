import { type Bucket, isFull, type Rate, take } from './token-bucket.js'

/** So many printers are remembered before those that are back at their full allowance are forgotten. */
const PRUNE_ABOVE = 1000

/** An allowance for each printer. */
export class RateLimiter {
  readonly #rate: Rate
  readonly #buckets = new Map<number, Bucket>()
  #pruneAbove = PRUNE_ABOVE

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** Takes one; says how long to wait when there is none, else 0. */
  take(printerId: number, now: number): number {
    const { bucket, waitMs } = take(this.#buckets.get(printerId), this.#rate, 1, now)
    this.#buckets.set(printerId, bucket)
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
