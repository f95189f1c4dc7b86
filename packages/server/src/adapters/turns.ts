/** Who waits for a turn, and whether it must be alone. */
interface Waiting {
  readonly isAlone: boolean
  resolve(): void
}

/**
 * Turns at one connection, in order of arrival. A transaction has the connection alone; statements between two transactions
 * share it.
 */
export class Turns {
  readonly #waiting: Waiting[] = []
  readonly #timeoutMs: number
  #isTaken = false

  /** @param timeoutMs how long somebody waits before giving up: by then something is stuck */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** A statement's turn; undefined when there is nothing to wait for. */
  shared(): Promise<void> | undefined {
    return this.#isTaken || this.#waiting.length > 0 ? this.#wait(false) : undefined
  }

  /** A transaction's turn, which lasts until `leave`. */
  async alone(): Promise<void> {
    if (this.#isTaken || this.#waiting.length > 0) return this.#wait(true)
    this.#isTaken = true
  }

  /** Ends a transaction's turn. */
  leave(): void {
    this.#isTaken = false
    while (!this.#isTaken) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#isTaken = next.isAlone
      next.resolve()
    }
  }

  #wait(isAlone: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        isAlone,
        resolve() {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(new Error('waited too long for a transaction to end; is "db" used inside of one?'))
      }, this.#timeoutMs)
      this.#waiting.push(waiting)
    })
  }
}
