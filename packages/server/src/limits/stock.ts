import { fullAfterMs, type Rate } from './token-bucket.js'

/** What is here is given out without asking for so long; then the shared count gets it back. */
const KEPT_MS = 1000

/** The part of what is left that a node takes at a time: little at first, twice as much each time that most of it was used in time. */
const FIRST_SHARE = 0.01
const MOST_SHARE = 0.1

/** What a node has taken of somebody's allowance and not used yet, and who has to wait for more. Changed in place: each request asks. */
export class Stock {
  #left = 0
  #until = 0
  /** How much was taken last. */
  #taken = 0
  #share = FIRST_SHARE
  /** Who wants so much, or more, has to wait. */
  #refusedCost = Number.POSITIVE_INFINITY
  #refusedUntil = 0

  constructor(private readonly rate: Rate) {}

  /** The part of what is left that is to be taken next, so that a busy client costs few looks, and a node holds little of others. */
  get share(): number {
    return this.#share
  }

  /** Takes `cost` if it is here: 0. Else how long to wait in milliseconds, or undefined when only the shared count can tell. */
  take(cost: number, now: number): number | undefined {
    if (this.#usable(now) >= cost) {
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
    const taken = Math.min(cost, this.#usable(now))
    this.#left -= taken
    return cost - taken
  }

  /** Empties it before more is asked for, since it is not enough or too old: says how much the shared count gets back. */
  empty(now: number): number {
    const unused = this.#left
    this.#left = 0
    if (this.#taken > 0) this.#share = unused * 2 > this.#taken ? FIRST_SHARE : Math.min(MOST_SHARE, this.#share * 2)
    this.#taken = 0
    // By then an allowance that nobody touches is whole again.
    return now - this.#until > fullAfterMs(this.rate) ? 0 : unused
  }

  /** So much was taken at the shared count, and `used` of it at once. */
  fill(taken: number, used: number, now: number): void {
    this.#left += Math.max(0, taken - used)
    this.#taken = taken
    this.#until = now + KEPT_MS
  }

  /** Something was not used after all. */
  giveBack(count: number, now: number): void {
    this.#left += count
    this.#until = Math.max(this.#until, now)
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

  #usable(now: number): number {
    return this.#until > now ? this.#left : 0
  }

  /** More than the burst is given when the burst is there. */
  #wanted(cost: number): number {
    return Math.min(cost, this.rate.burst)
  }
}
