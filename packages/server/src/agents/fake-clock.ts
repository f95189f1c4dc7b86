import type { Clock } from '../ports.js'

/** A clock that stands still until the test moves it: for limits, which fill up again by the second. */
export function fakeClock(): Clock & { advance(ms: number): void } {
  let time = Date.now()
  return {
    now: () => time,
    advance: (ms) => {
      time += ms
    },
  }
}
