import { CLOCK_SKEW_MS } from '../clock-skew.js'
import type { Clock, LiveStore } from '../ports.js'

/** How often values that ran out are looked for: what nobody reads again must not stay. */
const SWEEP_INTERVAL_MS = 60_000

interface Entry {
  readonly value: unknown
  readonly ts: number
  readonly expiresAt: number
  readonly ttlMs: number
}

/** Live values in this process's memory. */
export function memoryLiveStore(clock: Clock): LiveStore {
  const entries = new Map<string, Entry>()
  let sweptAt = clock.now()

  function current(key: string): Entry | undefined {
    const entry = entries.get(key)
    const left = entry === undefined ? 0 : entry.expiresAt - clock.now()
    // More than it was ever given: the clock was set back, and nobody knows how old it is.
    return left > 0 && left <= (entry?.ttlMs ?? 0) + CLOCK_SKEW_MS ? entry : undefined
  }

  function sweep(now: number): void {
    if (now - sweptAt < SWEEP_INTERVAL_MS) return
    sweptAt = now
    for (const [key, entry] of entries) {
      if (entry.expiresAt <= now) entries.delete(key)
    }
  }

  return {
    async put(key, value, { ts, ttlMs }) {
      const now = clock.now()
      sweep(now)
      const kept = current(key)
      if (kept !== undefined && ts < kept.ts) return false
      entries.set(key, { value, ts, expiresAt: now + ttlMs, ttlMs })
      return true
    },
    async get(key) {
      return current(key)?.value
    },
    async getMany(keys) {
      return keys.map((key) => current(key)?.value)
    },
    async remove(key) {
      entries.delete(key)
    },
    async close() {
      entries.clear()
    },
  }
}
