import { Counter, type Registry } from 'prom-client'
import type { Clock, Log } from '../ports.js'

/** Whoever is refused again within this time is not told of in the log again. */
const QUIET_MS = 10 * 60_000

/** So many are remembered at most. */
const MAX_REMEMBERED = 10_000

/** Where refusals are told of. */
export interface Refusals {
  /** Somebody met a limit. `who`: a user, a printer or an address, in words. */
  note(limit: string, who: string): void
}

export interface RefusalsDeps {
  readonly log: Log
  readonly clock: Clock
  readonly metrics: Registry
}

/** Counts each refusal, and writes the first one of each limit and client into the log: a flood must not fill the disk either. */
export function openRefusals({ log, clock, metrics }: RefusalsDeps): Refusals {
  const total = new Counter({
    name: 'printwarden_limited_total',
    help: 'Requests, messages and sockets that were refused by a limit',
    labelNames: ['limit'],
    registers: [metrics],
  })
  const quietUntil = new Map<string, number>()
  return {
    note(limit, who) {
      total.inc({ limit })
      const key = `${limit} ${who}`
      const now = clock.now()
      if ((quietUntil.get(key) ?? 0) > now) return
      if (quietUntil.size >= MAX_REMEMBERED) quietUntil.clear()
      quietUntil.set(key, now + QUIET_MS)
      log.warn({ limit, who }, 'a limit was met; what follows is refused without being told of again')
    },
  }
}
