import { CLOCK_SKEW_MS } from '../clock-skew.js'

/** How many wrong passwords are let pass, and how long one waits from then on. */
export interface AttemptLimit {
  /** Wrong tries that cost no wait. */
  readonly free: number
  /** The first wait; each further wrong try doubles it. */
  readonly firstWaitMs: number
  readonly maxWaitMs: number
}

/** What is remembered of one account, address, or pair of both. */
export interface Attempts {
  readonly wrong: number
  readonly lastWrongAt: number
  /** Tries whose password is being checked just now. */
  readonly running: number
  /** When the last of them began. */
  readonly beganAt: number
}

/** Fewer wrong tries than allowed are forgotten after this long. */
const WINDOW_MS = 5 * 60_000

/** Once waits were asked for, it takes this long after the last one to be forgotten. */
const MEMORY_MS = 60 * 60_000

/** Tries at a time: programs of one owner may sign in side by side, but guesses must not overtake the count. */
const MAX_RUNNING = 10

const RUNNING_WAIT_MS = 1000

/** No try takes longer: its node has ended in the middle of it. */
const LONGEST_RUN_MS = 60_000

const NONE: Attempts = { wrong: 0, lastWrongAt: 0, running: 0, beganAt: 0 }

/** How long to wait before the next try; 0 when it may be made now. */
export function waitBeforeTry(attempts: Attempts | undefined, limit: AttemptLimit, now: number): number {
  const { wrong, lastWrongAt, running } = remembered(attempts, limit, now)
  const waitMs = lastWrongAt + penalty(wrong, limit) - now
  if (waitMs > 0) return waitMs
  return running < (wrong < limit.free ? MAX_RUNNING : 1) ? 0 : RUNNING_WAIT_MS
}

/** A try begins. */
export function tryBegins(attempts: Attempts | undefined, limit: AttemptLimit, now: number): Attempts {
  const before = remembered(attempts, limit, now)
  return { ...before, running: before.running + 1, beganAt: now }
}

/** A try ended: with the wrong password, with the right one, or without an answer. */
export function tryEnds(attempts: Attempts | undefined, outcome: 'wrong' | 'right' | 'unknown', now: number): Attempts {
  const before = attempts ?? NONE
  const running = Math.max(0, before.running - 1)
  return outcome === 'wrong'
    ? { ...before, wrong: before.wrong + 1, lastWrongAt: now, running }
    : { ...before, running }
}

/** How long it is remembered from now on, in milliseconds: afterwards forgetting it changes nothing. */
export function memoryMs({ wrong, lastWrongAt, running }: Attempts, limit: AttemptLimit, now: number): number {
  const ofWrong = wrong === 0 ? 0 : lastWrongAt + memoryOfWrong(wrong, limit) - now
  return Math.max(running === 0 ? 0 : LONGEST_RUN_MS, ofWrong)
}

function remembered(attempts: Attempts | undefined, limit: AttemptLimit, now: number): Attempts {
  if (attempts === undefined) return NONE
  const { wrong, lastWrongAt, beganAt } = attempts
  const running = Math.abs(now - beganAt) < LONGEST_RUN_MS ? attempts.running : 0
  const agoMs = now - lastWrongAt
  // Further ahead than clocks differ, it was noted before the clock was set back: whoever waits would wait for as long again.
  return agoMs >= -CLOCK_SKEW_MS && agoMs < memoryOfWrong(wrong, limit)
    ? { ...attempts, running }
    : { ...NONE, running, beganAt }
}

function memoryOfWrong(wrong: number, limit: AttemptLimit): number {
  const penaltyMs = penalty(wrong, limit)
  return penaltyMs === 0 ? WINDOW_MS : penaltyMs + MEMORY_MS
}

function penalty(wrong: number, { free, firstWaitMs, maxWaitMs }: AttemptLimit): number {
  return wrong < free ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(wrong - free, 30))
}
