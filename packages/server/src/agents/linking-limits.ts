import { addressGroup } from '../limits/address.js'
import type { TryCounter, TryLimit } from '../limits/tries.js'
import type { Rate } from '../limits/token-bucket.js'

// What linking may cost the server, and how fast codes may be guessed. Six digits are few, so the last limit holds for all
// callers together: whoever guesses from many addresses at once gains nothing.

const MINUTE_MS = 60_000

export const WRONG_CODES: Record<'user' | 'address' | 'anonymous' | 'all', TryLimit> = {
  /** Decision 28. */
  user: { tries: 5, perMs: MINUTE_MS },
  /** Several users may sit behind one address. */
  address: { tries: 15, perMs: MINUTE_MS },
  /** Agents at which somebody types. */
  anonymous: { tries: 10, perMs: MINUTE_MS },
  all: { tries: 60, perMs: MINUTE_MS },
}

/** Who is counted for a code that a user enters. */
export function userTries(userId: number, ip: string): readonly TryCounter[] {
  return [
    { key: `user ${userId}`, limit: WRONG_CODES.user },
    { key: `users at ${addressGroup(ip)}`, limit: WRONG_CODES.address },
    { key: 'users', limit: WRONG_CODES.all },
  ]
}

/** Who is counted for a code that an agent sends. */
export function agentTries(ip: string): readonly TryCounter[] {
  return [
    { key: `agents at ${addressGroup(ip)}`, limit: WRONG_CODES.anonymous },
    { key: 'agents', limit: WRONG_CODES.all },
  ]
}

/** Agents of one network that ask whether there is news: each does so every two to five seconds. */
export const POLL_RATE: Rate = { perSecond: 10, burst: 120 }

/** Agents of one network that ask for something new to show. */
export const NEW_RATE: Rate = { perSecond: 0.2, burst: 30 }

/** Codes and passcodes of agents that nobody has entered: the more there are, the likelier a mistyped one is another's. */
export const MAX_WAITING = 1000
