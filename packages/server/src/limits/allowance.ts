import type { Clock, Counters } from '../ports.js'
import { type Bucket, fullAfterMs, type Rate, takeSome } from './token-bucket.js'

/** A node takes this part of a burst at a time, so that a busy client costs one look at the shared count for many requests. */
const SHARE = 0.1

/** So many are remembered before what is over is dropped. */
const PRUNE_ABOVE = 10_000

/** What this node has taken of somebody's allowance and not used yet, or until when there is nothing to be had. */
interface Stock {
  readonly left: number
  /** By then as much has flowed in again at the shared count. */
  readonly until: number
  readonly blockedUntil: number
}

const EMPTY: Stock = { left: 0, until: 0, blockedUntil: 0 }

export interface AllowanceDeps {
  readonly counters: Counters
  readonly clock: Clock
}

/** A rate for each user, printer or address, counted by all nodes together. What is counted under one `name` is counted together. */
export class Allowance {
  readonly #stocks = new Map<string, Stock>()
  readonly #share: number
  #pruneAbove = PRUNE_ABOVE

  constructor(
    private readonly deps: AllowanceDeps,
    private readonly name: string,
    readonly rate: Rate,
  ) {
    this.#share = Math.max(1, Math.floor(rate.burst * SHARE))
  }

  /** Takes `cost`; says how long to wait in milliseconds when it is not there, else 0. */
  take(key: string, cost = 1): number | Promise<number> {
    const now = this.deps.clock.now()
    const stock = this.#stocks.get(key)
    if (stock !== undefined && stock.blockedUntil > now) return stock.blockedUntil - now
    if (stock !== undefined && stock.until > now && stock.left >= cost) {
      this.#stocks.set(key, { ...stock, left: stock.left - cost })
      return 0
    }
    return this.#fetch(key, cost)
  }

  async #fetch(key: string, cost: number): Promise<number> {
    const asked = this.deps.clock.now()
    const wanted = { least: cost, most: Math.max(cost, this.#share) }
    const { taken, waitMs } = await this.deps.counters.update<Bucket, { taken: number; waitMs: number }>(
      [`${this.name} ${key}`],
      ([bucket]) => {
        const result = takeSome(bucket, this.rate, wanted, asked)
        return { states: [result.bucket], ttlMs: fullAfterMs(this.rate), result }
      },
    )
    const now = this.deps.clock.now()
    const before = this.#stocks.get(key) ?? EMPTY
    const left = (before.until > now ? before.left : 0) + Math.max(0, taken - cost)
    const until = now + (left * 1000) / this.rate.perSecond
    // One who has to wait for much may still be given little.
    const blockedUntil = waitMs > 0 && cost === 1 ? now + waitMs : 0
    this.#stocks.set(key, { left, until, blockedUntil })
    if (this.#stocks.size > this.#pruneAbove) this.#prune(now)
    return waitMs
  }

  #prune(now: number): void {
    for (const [key, { until, blockedUntil }] of this.#stocks) {
      if (until <= now && blockedUntil <= now) this.#stocks.delete(key)
    }
    // What is forgotten here is still counted where all nodes count.
    if (this.#stocks.size > PRUNE_ABOVE) this.#stocks.clear()
    this.#pruneAbove = PRUNE_ABOVE
  }
}
