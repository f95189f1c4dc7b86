interface Waiting<T> {
  readonly key: number
  readonly at: number
  readonly value: T
}

/**
 * What waits to be looked at: at most one value for each key, the newest. Under load older ones are dropped, nothing piles up.
 *
 * Keys take turns in the order in which they began to wait: a newer value takes its predecessor's place in the line, so a key
 * that offers often gains nothing over the others.
 */
export class LatestQueue<T> {
  readonly #waiting = new Map<number, Waiting<T>>()
  #dropped = 0

  /** How many values were replaced by newer ones, or came after a newer one. */
  get dropped(): number {
    return this.#dropped
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Lets `value` of the instant `at` wait, unless a newer one of the same key does. */
  offer(key: number, at: number, value: T): void {
    const before = this.#waiting.get(key)
    if (before !== undefined) this.#dropped++
    if (before !== undefined && before.at > at) return
    // Setting a key that a map has keeps its place in the order.
    this.#waiting.set(key, { key, at, value })
  }

  /** Takes the value whose key has waited longest, passing over busy keys: a key's values are handled one after another. */
  take(isBusy: (key: number) => boolean): T | undefined {
    for (const { key, value } of this.#waiting.values()) {
      if (isBusy(key)) continue
      this.#waiting.delete(key)
      return value
    }
    return undefined
  }

  /** Forgets what waits under `key`. */
  remove(key: number): void {
    this.#waiting.delete(key)
  }

  clear(): void {
    this.#waiting.clear()
  }
}
