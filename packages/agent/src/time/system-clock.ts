import { readFileSync } from 'node:fs'
import type { Clock } from './clock.js'

/** The clock of the machine. Its monotonic time counts from the start of the machine, where that can be told apart from others. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => Number(process.hrtime.bigint() / 1000n) / 1000,
  bootId: readBootId(),
  after: (delayMs, work) => {
    const timer = setTimeout(work, delayMs)
    return () => clearTimeout(timer)
  },
  every: (periodMs, work) => {
    const timer = setInterval(work, periodMs)
    return () => clearInterval(timer)
  },
}

/** Linux names each start of the machine; elsewhere the wall clock has to do. */
function readBootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
