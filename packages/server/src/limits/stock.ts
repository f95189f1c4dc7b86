import { fullAfterMs, type Rate } from './token-bucket.js'

/** What a node has taken of somebody's allowance and not used yet, and who has to wait for more. Changed in place: each request asks. */
export class Stock {
  #left = 0
  /** By then as much has flowed in at the shared count: from now on it is asked. */
  #until = 0
  /** Who wants so much, or more, has to wait. */
  #refusedCost = Number.POSITIVE_INFINITY
  #refusedUntil = 0

  constructor(private readonly rate: Rate) {}

  /** Takes `cost` if it is here: 0. Else how long to wait in milliseconds, or undefined when only the shared count can tell. */
  take(cost: number, now: number): number | undefined {
    if (this.left(now) >= cost) {
      this.#left -= cost
      return 0
    }
    const wanted = this.#wanted(cost)
    // Nobody waits longer than until a whole burst that was owed has flowed in: else the clock was set back.
    const longest = fullAfterMs(this.rate, { tokens: -this.rate.burst })
    if (now >= this.#refusedUntil || this.#refusedUntil - now > longest || wanted < this.#refusedCost) return undefined
    return this.#refusedUntil - now + ((wanted - this.#refusedCost) * 1000) / this.rate.perSecond
  }

  /** Takes `cost`, or what there is of it; says how much is missing. */
  takeUpTo(cost: number, now: number): number {
    const taken = Math.min(cost, this.left(now))
    this.#left -= taken
    return cost - taken
  }

  /** What is here. */
  left(now: number): number {
    return this.#until > now ? this.#left : 0
  }

  /** Takes what has lain here for so long that it is no longer given out: it belongs to the shared count, which gets it back. */
  takeUnused(now: number): number {
    if (this.#until > now) return 0
    const unused = this.#left
    this.#left = 0
    return unused
  }

  add(count: number, now: number): void {
    this.#left += count
    this.#until = now + (this.#left * 1000) / this.rate.perSecond
  }

  /** The shared count had less than `cost`. Who wants less may still be given it. */
  refuse(cost: number, until: number): void {
    this.#refusedCost = this.#wanted(cost)
    this.#refusedUntil = until
  }

  /** Whether nothing is given out or refused from here any more. */
  isOver(now: number): boolean {
    return this.#until <= now && this.#refusedUntil <= now
  }

  /** More than the burst is given when the burst is there. */
  #wanted(cost: number): number {
    return Math.min(cost, this.rate.burst)
  }
}
