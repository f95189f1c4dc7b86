import type { Clock } from '../ports.js'

/** So many are kept; above it those that changed longest ago go first, so that a flood of names does not fill the memory. */
const MAX_STATES = 100_000

const SWEEP_INTERVAL_MS = 60_000

/** States of counters in this process's memory, as JSON. */
export class CounterStates {
  readonly #entries = new Map<string, { readonly text: string; readonly until: number }>()
  #sweptAt = 0

  constructor(
    private readonly clock: Clock,
    private readonly max = MAX_STATES,
  ) {}

  get(key: string): string | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && entry.until > this.clock.now() ? entry.text : undefined
  }

  set(key: string, text: string | undefined, ttlMs: number): void {
    // Anew, so that it stands last.
    this.#entries.delete(key)
    if (text === undefined) return
    const now = this.clock.now()
    this.#entries.set(key, { text, until: now + ttlMs })
    this.#sweep(now)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.max) return
      this.#entries.delete(oldest)
    }
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < SWEEP_INTERVAL_MS) return
    this.#sweptAt = now
    for (const [key, { until }] of this.#entries) {
      if (until <= now) this.#entries.delete(key)
    }
  }
}
