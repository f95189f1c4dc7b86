import { setTimeout as delay } from 'node:timers/promises'

/** How often a round of sending comes; less would be lost in the timers. */
const ROUND_MS = 5

/**
 * Calls `send` `perSecond` times a second for so many seconds, evenly spread, and goes on where it would fall behind.
 *
 * @returns how many were sent
 */
export async function pace(perSecond: number, seconds: number, send: (sequence: number) => void): Promise<number> {
  const started = performance.now()
  const all = Math.round(perSecond * seconds)
  let sent = 0
  while (sent < all) {
    const due = Math.min(all, Math.floor(((performance.now() - started) / 1000) * perSecond))
    while (sent < due) send(sent++)
    await delay(ROUND_MS)
  }
  return sent
}
