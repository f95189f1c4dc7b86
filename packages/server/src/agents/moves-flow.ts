import type { Clock, LiveStore, Log } from '../ports.js'
import { movingKey, statusKey } from '../printers/live-keys.js'

/** How long after its last connection an agent may be on its way to another node. */
const MOVING_MS = 10_000

/** Agents that change from one node to another, since theirs has stopped or died. */
export interface Moves {
  readonly isMoving: (printerId: number) => Promise<boolean>
  /** The agent's connection to this node has ended. */
  left(printerId: number): void
}

/** What all nodes know of it: who was cut off says nothing, but has left a status behind. */
export function liveMoves(live: LiveStore, clock: Clock, log: Log): Moves {
  return {
    async isMoving(printerId) {
      const values = await live.getMany([movingKey(printerId), statusKey(printerId)])
      return values.some((value) => value !== undefined)
    },
    left(printerId) {
      live
        .put(movingKey(printerId), true, { ts: clock.now(), ttlMs: MOVING_MS })
        .catch((err: unknown) => log.debug({ err, printer_id: printerId }, 'that an agent has left was not noted'))
    },
  }
}
