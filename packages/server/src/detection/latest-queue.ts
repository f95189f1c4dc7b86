interface Waiting<T> {
  readonly key: number
  readonly group: number
  readonly at: number
  readonly value: T
}

/**
 * What waits to be looked at: at most one value for each key, the newest. Under load older ones are dropped, nothing piles up.
 *
 * Keys belong to groups (cameras to printers), and groups take turns: the one that was served longest ago is next, so that a group with
 * many keys, or one that offers often, gains nothing over the others. Within a group, and among groups that were never served, the order
 * is the one in which keys began to wait.
 */
export class LatestQueue<T> {
  readonly #waiting = new Map<number, Waiting<T>>()
  /** When each group was served last, counted in servings. */
  readonly #served = new Map<number, number>()
  #servings = 0
  #dropped = 0

  /** How many values were replaced by newer ones, or came after a newer one. */
  get dropped(): number {
    return this.#dropped
  }

  get size(): number {
    return this.#waiting.size
  }

  /** What waits, in no order in particular. */
  values(): T[] {
    return [...this.#waiting.values()].map(({ value }) => value)
  }

  /** Lets `value` of the instant `at` wait, unless a newer one of the same key does. Hands back the one of the two that gave way. */
  offer(key: number, at: number, value: T, group = key): T | undefined {
    const before = this.#waiting.get(key)
    if (before !== undefined) this.#dropped++
    if (before !== undefined && before.at > at) return value
    // Setting a key that a map has keeps its place in the order.
    this.#waiting.set(key, { key, group, at, value })
    return before?.value
  }

  /** Takes the next value, passing over busy keys: a key's values are handled one after another. */
  take(isBusy: (key: number) => boolean): T | undefined {
    let next: Waiting<T> | undefined
    for (const waiting of this.#waiting.values()) {
      if (isBusy(waiting.key)) continue
      if (next === undefined || this.#servedAt(waiting) < this.#servedAt(next)) next = waiting
    }
    if (next === undefined) return undefined
    this.#waiting.delete(next.key)
    this.#served.set(next.group, ++this.#servings)
    return next.value
  }

  /** Forgets what waits under `key`. */
  remove(key: number): void {
    this.#waiting.delete(key)
  }

  clear(): void {
    this.#waiting.clear()
  }

  #servedAt({ group }: Waiting<T>): number {
    return this.#served.get(group) ?? 0
  }
}
