/** Does pieces of work that take long, one in a turn of the event loop: whatever else waits is done in between. */
export class OneATurn {
  readonly #waiting: (() => void)[] = []

  add(work: () => void): void {
    this.#waiting.push(work)
    if (this.#waiting.length === 1) setImmediate(() => this.#next())
  }

  #next(): void {
    try {
      this.#waiting[0]?.()
    } finally {
      this.#waiting.shift()
      if (this.#waiting.length > 0) setImmediate(() => this.#next())
    }
  }
}
