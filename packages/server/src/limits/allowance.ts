import type { Clock, Counters } from '../ports.js'
import { Stock } from './stock.js'
import { type Bucket, fullAfterMs, owe, putBack, type Rate, takeSome } from './token-bucket.js'

/** So many are remembered before what is over is dropped. */
const PRUNE_ABOVE = 10_000

export interface AllowanceDeps {
  readonly counters: Counters
  readonly clock: Clock
}

/** One who waits until the shared count has answered. */
interface Waiting {
  readonly cost: number
  resolve(waitMs: number): void
  reject(error: unknown): void
}

/** A rate for each user, printer or address, counted by all nodes together. What is counted under one `name` is counted together. */
export class Allowance {
  readonly #stocks = new Map<string, Stock>()
  /** Who waits, by key. Somebody does as long as the shared count is being asked, and it is asked once at a time. */
  readonly #lines = new Map<string, Waiting[]>()

  constructor(
    private readonly deps: AllowanceDeps,
    private readonly name: string,
    readonly rate: Rate,
  ) {}

  /**
   * Takes `cost`; says how long to wait in milliseconds when it is not there, else 0. At once where this node knows it.
   * @throws what the counters fail with
   */
  take(key: string, cost = 1): number | Promise<number> {
    return this.#stocks.get(key)?.take(cost, this.deps.clock.now()) ?? this.#waitInLine(key, cost)
  }

  /**
   * Takes `cost` whether it is there or not, for what is known only afterwards: then the next ones wait.
   * @throws what the counters fail with
   */
  async charge(key: string, cost: number): Promise<void> {
    const now = this.deps.clock.now()
    const missing = this.#stocks.get(key)?.takeUpTo(cost, now) ?? cost
    if (missing > 0) await this.#update(key, (bucket) => ({ bucket: owe(bucket, this.rate, missing, now) }))
  }

  /** Gives back what was taken a moment ago and not used; this node hands it out again. */
  giveBack(key: string, cost: number): void {
    const now = this.deps.clock.now()
    this.#stockOf(key, now).giveBack(cost, now)
  }

  #waitInLine(key: string, cost: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const one = { cost, resolve, reject }
      const line = this.#lines.get(key)
      if (line !== undefined) {
        line.push(one)
        return
      }
      const newLine = [one]
      this.#lines.set(key, newLine)
      void this.#serve(key, newLine)
    })
  }

  /** Asks the shared count until everybody in line has an answer, also those who join meanwhile. */
  async #serve(key: string, line: Waiting[]): Promise<void> {
    while (line.length > 0) {
      try {
        await this.#serveFirst(key, line)
        this.#serveFromStock(key, line)
      } catch (error) {
        for (const one of line.splice(0)) one.reject(error)
      }
    }
    this.#lines.delete(key)
  }

  async #serveFirst(key: string, line: Waiting[]): Promise<void> {
    const { cost = 1 } = line[0] ?? {}
    const waiting = line.reduce((sum, one) => sum + one.cost, 0)
    const asked = this.deps.clock.now()
    const before = this.#stockOf(key, asked)
    // Put back first: who asks for more than is here is given what all of it allows, and other nodes what is not used here.
    const unused = before.empty(asked)
    const wanted = { least: cost, most: waiting, share: before.share }
    const { taken, waitMs } = await this.#update(key, (bucket) =>
      takeSome(putBack(bucket, this.rate, unused, asked), this.rate, wanted, asked),
    )
    const now = this.deps.clock.now()
    const stock = this.#stockOf(key, now)
    if (waitMs > 0) stock.refuse(cost, now + waitMs)
    else stock.fill(taken, cost, now)
    line.shift()?.resolve(waitMs)
  }

  #serveFromStock(key: string, line: Waiting[]): void {
    const now = this.deps.clock.now()
    let left = 0
    for (const one of line) {
      const waitMs = this.#stocks.get(key)?.take(one.cost, now)
      if (waitMs === undefined) line[left++] = one
      else one.resolve(waitMs)
    }
    line.length = left
  }

  #update<Result extends { readonly bucket: Bucket }>(
    key: string,
    step: (bucket: Bucket | undefined) => Result,
  ): Promise<Result> {
    return this.deps.counters.update<Bucket, Result>([`${this.name} ${key}`], ([before]) => {
      const result = step(before)
      return { states: [result.bucket], ttlMs: fullAfterMs(this.rate, result.bucket), result }
    })
  }

  #stockOf(key: string, now: number): Stock {
    const known = this.#stocks.get(key)
    if (known !== undefined) return known
    if (this.#stocks.size >= PRUNE_ABOVE) this.#prune(now)
    const stock = new Stock(this.rate)
    this.#stocks.set(key, stock)
    return stock
  }

  #prune(now: number): void {
    for (const [key, stock] of this.#stocks) if (stock.isOver(now)) this.#stocks.delete(key)
    // What is forgotten here is still counted where all nodes count, as if it had been used.
    if (this.#stocks.size >= PRUNE_ABOVE) this.#stocks.clear()
  }
}
