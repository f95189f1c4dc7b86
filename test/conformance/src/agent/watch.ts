import { show } from '../expect.js'

/** Something that changes, and those who wait for it to be as they want. */
export class Watch {
  #waiting: (() => void)[] = []

  /** To be called after every change. */
  changed(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }

  /** Looks again after each change, until `pick` makes something of what is there. `seen` is for the message when it is too late. */
  async until<T>(what: string, signal: AbortSignal, pick: () => T | undefined, seen: () => unknown): Promise<T> {
    const wake = (): void => this.changed()
    signal.addEventListener('abort', wake, { once: true })
    try {
      for (;;) {
        const picked = pick()
        if (picked !== undefined) return picked
        if (signal.aborted) throw new Error(`${what} did not come in time; seen: ${show(seen())}`)
        await new Promise<void>((resolve) => this.#waiting.push(resolve))
      }
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }
}
