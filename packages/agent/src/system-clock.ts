import type { Clock } from './clock.js'

/** The clock of the machine. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, work) => {
    const timer = setTimeout(work, delayMs)
    return () => clearTimeout(timer)
  },
  every: (periodMs, work) => {
    const timer = setInterval(work, periodMs)
    return () => clearInterval(timer)
  },
}
