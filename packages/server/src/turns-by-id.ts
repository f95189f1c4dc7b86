/** Runs work one after another for each id, such as a printer's or a user's; those of different ids do not wait for each other. */
export class TurnsById {
  readonly #last = new Map<number, Promise<unknown>>()

  /** Runs `work` after what was given for this id before, however that ended. */
  async run<T>(id: number, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(id) ?? Promise.resolve()).then(work)
    const ended = turn.catch(() => undefined)
    this.#last.set(id, ended)
    try {
      return await turn
    } finally {
      if (this.#last.get(id) === ended) this.#last.delete(id)
    }
  }

  /** Resolves when all that was given so far has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#last.values())
  }
}
