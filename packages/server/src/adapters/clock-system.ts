import type { Clock } from '../ports.js'

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }
