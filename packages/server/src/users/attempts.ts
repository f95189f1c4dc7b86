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
}

/** Fewer wrong tries than allowed are forgotten after this long. */
const WINDOW_MS = 5 * 60_000

/** Once waits were asked for, it takes this long after the last one to be forgotten. */
const MEMORY_MS = 60 * 60_000

/** Tries at a time: programs of one owner may sign in side by side, but guesses must not overtake the count. */
const MAX_RUNNING = 10

const RUNNING_WAIT_MS = 1000

const NONE: Attempts = { wrong: 0, lastWrongAt: 0, running: 0 }

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
  return { ...before, running: before.running + 1 }
}

/** A try ended: with the wrong password, with the right one, or without an answer. */
export function tryEnds(attempts: Attempts | undefined, outcome: 'wrong' | 'right' | 'unknown', now: number): Attempts {
  const before = attempts ?? NONE
  const running = Math.max(0, before.running - 1)
  return outcome === 'wrong' ? { wrong: before.wrong + 1, lastWrongAt: now, running } : { ...before, running }
}

/** Whether forgetting it changes nothing. */
export function isForgotten(attempts: Attempts, limit: AttemptLimit, now: number): boolean {
  return attempts.running === 0 && remembered(attempts, limit, now).wrong === 0
}

function remembered(attempts: Attempts | undefined, limit: AttemptLimit, now: number): Attempts {
  if (attempts === undefined) return NONE
  const { wrong, lastWrongAt, running } = attempts
  const penaltyMs = penalty(wrong, limit)
  const memoryMs = penaltyMs === 0 ? WINDOW_MS : penaltyMs + MEMORY_MS
  return now - lastWrongAt < memoryMs ? attempts : { ...NONE, running }
}

function penalty(wrong: number, { free, firstWaitMs, maxWaitMs }: AttemptLimit): number {
  return wrong < free ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(wrong - free, 30))
}

/**
 * What stands for an address: an IPv6 address counts by its first 64 bits, since one customer has all that follow, and an IPv4
 * address written as IPv6 counts as itself.
 */
export function addressGroup(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  if (!ip.includes(':')) return ip
  const [head = '', tail] = (ip.split('%', 1)[0] ?? ip).split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last]
  return `${groups
    .slice(0, 4)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
