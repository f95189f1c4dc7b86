/** Unix seconds to the millisecond, each later than the one before. */
export class RisingClock {
  #lastMs = 0

  next(): number {
    this.#lastMs = Math.max(Date.now(), this.#lastMs + 1)
    return this.#lastMs / 1000
  }
}
