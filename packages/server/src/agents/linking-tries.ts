/** So many wrong tries are let pass in a span of time. */
export interface TryLimit {
  readonly tries: number
  readonly perMs: number
}

/** Whose tries they are, and how many are let pass. */
export interface TryCounter {
  readonly key: string
  readonly limit: TryLimit
}

/** So many keys are remembered before those whose tries are long past are forgotten. */
const PRUNE_ABOVE = 1000

/**
 * Slows those who guess codes. A try counts as wrong from its beginning, so that many at once do not overtake the count, and is
 * forgiven when it was right. Each process counts for itself.
 */
export class TryLimiter {
  readonly #times = new Map<string, { readonly limit: TryLimit; times: readonly number[] }>()
  #pruneAbove = PRUNE_ABOVE

  /** Begins a try, unless one has to wait. A refused one counts nothing, so waiting helps. */
  begin(counters: readonly TryCounter[], now: number): { readonly waitMs: number; readonly forgive: () => void } {
    const waitMs = Math.max(...counters.map((counter) => this.#waitMs(counter, now)))
    if (waitMs > 0) return { waitMs, forgive: () => undefined }
    for (const counter of counters) this.#add(counter, now)
    if (this.#times.size > this.#pruneAbove) this.#prune(now)
    return { waitMs: 0, forgive: () => this.#forgive(counters, now) }
  }

  #waitMs({ key, limit }: TryCounter, now: number): number {
    const times = this.#recent(key, limit, now)
    const oldest = times.at(-limit.tries)
    return oldest === undefined ? 0 : oldest + limit.perMs - now
  }

  #recent(key: string, limit: TryLimit, now: number): readonly number[] {
    return (this.#times.get(key)?.times ?? []).filter((at) => at > now - limit.perMs)
  }

  #add({ key, limit }: TryCounter, now: number): void {
    this.#times.set(key, { limit, times: [...this.#recent(key, limit, now), now] })
  }

  #forgive(counters: readonly TryCounter[], at: number): void {
    for (const { key } of counters) {
      const entry = this.#times.get(key)
      const index = entry?.times.indexOf(at) ?? -1
      if (entry !== undefined && index >= 0) entry.times = entry.times.toSpliced(index, 1)
    }
  }

  #prune(now: number): void {
    for (const [key, { limit }] of this.#times) {
      if (this.#recent(key, limit, now).length === 0) this.#times.delete(key)
    }
    this.#pruneAbove = Math.max(PRUNE_ABOVE, this.#times.size * 2)
  }
}
