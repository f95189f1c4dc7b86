import type { Clock } from './clock.js'

interface Timer {
  dueMs: number
  readonly periodMs: number | undefined
  readonly work: () => void
}

/** A clock that stands still until the test moves it. */
export interface FakeClock extends Clock {
  /** Moves both times on and runs what falls due, in order. */
  advance(ms: number): void
  /** Sets the wall clock alone, as a time server does. */
  setWallMs(ms: number): void
}

export function fakeClock(startWallMs = 1_700_000_000_000, bootId?: string): FakeClock {
  const timers = new Set<Timer>()
  let nowMs = 1_000
  let wallOffsetMs = startWallMs - nowMs

  function schedule(timer: Timer): () => void {
    timers.add(timer)
    return () => timers.delete(timer)
  }

  return {
    wallMs: () => nowMs + wallOffsetMs,
    monotonicMs: () => nowMs,
    bootId,
    after: (delayMs, work) => schedule({ dueMs: nowMs + delayMs, periodMs: undefined, work }),
    every: (periodMs, work) => schedule({ dueMs: nowMs + periodMs, periodMs, work }),
    setWallMs: (ms) => {
      wallOffsetMs = ms - nowMs
    },
    advance: (ms) => {
      const endMs = nowMs + ms
      for (;;) {
        const next = [...timers].sort((a, b) => a.dueMs - b.dueMs)[0]
        if (next === undefined || next.dueMs > endMs) break
        nowMs = next.dueMs
        if (next.periodMs === undefined) timers.delete(next)
        else next.dueMs += next.periodMs
        next.work()
      }
      nowMs = endMs
    },
  }
}
