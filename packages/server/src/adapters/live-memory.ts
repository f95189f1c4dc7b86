import { CLOCK_SKEW_MS } from '../clock-skew.js'
import { type Clock, JsonText, type LiveStore } from '../ports.js'

/** How often values that ran out are looked for: what nobody reads again must not stay. */
const SWEEP_INTERVAL_MS = 60_000

/**
 * Changed in place, and its text stays text until somebody wants the value: what is put is replaced within seconds, and neither new
 * entries, which V8 learns to place among what lasts, nor large values are to keep the collector busy.
 */
interface Entry {
  value: unknown
  ts: number
  expiresAt: number
  ttlMs: number
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

  function read(key: string): unknown {
    const entry = current(key)
    if (entry?.value instanceof JsonText) entry.value = JSON.parse(entry.value.text)
    return entry?.value
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
      if (kept === undefined) {
        entries.set(key, { value, ts, expiresAt: now + ttlMs, ttlMs })
        return true
      }
      kept.value = value
      kept.ts = ts
      kept.expiresAt = now + ttlMs
      kept.ttlMs = ttlMs
      return true
    },
    async get(key) {
      return read(key)
    },
    async getMany(keys) {
      return keys.map(read)
    },
    async remove(key) {
      entries.delete(key)
    },
    async close() {
      entries.clear()
    },
  }
}
