/** Works on a few things at a time; the others wait in the order in which they came, and no more than a few of those are let in. */
export class Lanes {
  readonly #waiting: (() => void)[] = []
  #underWay = 0

  /** @param full what is thrown when too much waits already */
  constructor(
    readonly limit: number,
    readonly maxWaiting: number,
    readonly full: () => Error,
  ) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#underWay >= this.limit) {
      if (this.#waiting.length >= this.maxWaiting) throw this.full()
      // Whoever ends hands the lane over, so that nobody new comes in between.
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    } else {
      this.#underWay++
    }
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#underWay--
      else next()
    }
  }
}
