/** Runs work one after another for each printer; printers do not wait for each other. */
export class PrinterTurns {
  readonly #last = new Map<number, Promise<unknown>>()

  /** Runs `work` after what was given for this printer before, however that ended. */
  async run<T>(printerId: number, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(printerId) ?? Promise.resolve()).then(work)
    const ended = turn.catch(() => undefined)
    this.#last.set(printerId, ended)
    try {
      return await turn
    } finally {
      if (this.#last.get(printerId) === ended) this.#last.delete(printerId)
    }
  }

  /** Resolves when all that was given so far has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#last.values())
  }
}
