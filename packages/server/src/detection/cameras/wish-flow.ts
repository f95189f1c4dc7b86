import type { Bus, Clock } from '../../ports.js'
import { agentSubject, type ToAgent } from '../../printers/notices.js'
import { isWishDue, type Wish, wantedIntervalMs } from './cadence.js'

export type WishFlow = ReturnType<typeof wishFlow>

/** Asks agents for more pictures while their printer's gauge is up. */
export function wishFlow({ bus, clock }: { readonly bus: Bus; readonly clock: Clock }) {
  const wishes = new Map<number, Wish>()

  function follow(printerId: number, normalized_p: number): void {
    const wanted = wantedIntervalMs(normalized_p)
    const now = clock.now()
    if (!isWishDue(wishes.get(printerId), wanted, now)) return
    if (wanted === null) wishes.delete(printerId)
    else wishes.set(printerId, { interval_ms: wanted, at: now })
    const frame: ToAgent = { type: 'remote_status', interval_ms: wanted }
    bus.publish(agentSubject(printerId), frame)
  }

  return { follow }
}
