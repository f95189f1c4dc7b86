import type { Clock, Counters } from '../ports.js'
import { addressGroup } from './address.js'
import { type AttemptLimit, type Attempts, memoryMs, tryBegins, tryEnds, waitBeforeTry } from './attempts.js'

/**
 * The three limits. One address guessing at one account is slowed first. One address at many accounts, and many addresses at one
 * account, are slowed later; the last of these never for long, since it also meets the owner. An address from which the account was right
 * lately is not slowed by what others guess.
 */
export const PASSWORD_LIMITS = {
  pair: { free: 5, firstWaitMs: 30_000, maxWaitMs: 15 * 60_000 },
  address: { free: 30, firstWaitMs: 30_000, maxWaitMs: 15 * 60_000 },
  account: { free: 100, firstWaitMs: 5_000, maxWaitMs: 60_000 },
} as const satisfies Record<string, AttemptLimit>

type Kind = keyof typeof PASSWORD_LIMITS
export type Limits = Readonly<Record<Kind, AttemptLimit>>

/** For codes of six digits: whoever guesses them knows the password already, so the account itself is held up too. */
export const CODE_LIMITS: Limits = {
  ...PASSWORD_LIMITS,
  account: { free: 20, firstWaitMs: 30_000, maxWaitMs: 15 * 60_000 },
}

/**
 * For letters that somebody asks for: each counts, whether it was due or not. Strangers who ask all the time keep nobody out: what they
 * asked for lies in the owner's mailbox, and half of its hour is left when the next one may be asked for.
 */
export const REQUEST_LIMITS: Limits = {
  pair: { free: 3, firstWaitMs: 60_000, maxWaitMs: 60 * 60_000 },
  address: { free: 20, firstWaitMs: 60_000, maxWaitMs: 60 * 60_000 },
  account: { free: 5, firstWaitMs: 5 * 60_000, maxWaitMs: 30 * 60_000 },
}

/** So long an address from which an account was right is known as one of its own. */
const KNOWN_MS = 30 * 24 * 3_600_000

export type TryOutcome = Parameters<typeof tryEnds>[1]

/** What came of asking for a try. */
export interface Attempt {
  /** 0 when the try may be made now. */
  readonly waitMs: number
  /** To be called once with the outcome of a try that was made. */
  readonly end: (outcome: TryOutcome) => Promise<void>
}

export interface AttemptLimiterDeps {
  readonly counters: Counters
  readonly clock: Clock
}

/** Slows those who guess passwords or codes. What is counted under one `name` is counted together, on all nodes. */
export class AttemptLimiter {
  constructor(
    private readonly deps: AttemptLimiterDeps,
    private readonly name: string,
    private readonly limits: Limits = PASSWORD_LIMITS,
    /** Whose right tries make an address known. */
    private readonly knownBy: string = name,
  ) {}

  /**
   * Asks for a try. A refused one counts nothing, so waiting helps.
   *
   * @param knownAs the account by its name where it was right, if it has another one here
   */
  async begin(account: string, ip: string, knownAs: string = account): Promise<Attempt> {
    const keys = this.#keysOf(account, ip)
    const known = `${this.knownBy} known ${addressGroup(ip)} ${nameOf(knownAs)}`
    const isKnown = await this.#isKnown(known)
    const now = this.deps.clock.now()
    const waitMs = await this.#update(keys, (states) => {
      const waits = keys.map(([kind], index) =>
        kind === 'account' && isKnown ? 0 : waitBeforeTry(states[index], this.limits[kind], now),
      )
      const wait = Math.max(...waits)
      if (wait > 0) return { result: wait }
      return { states: keys.map(([kind], index) => tryBegins(states[index], this.limits[kind], now)), result: 0 }
    })
    const end = async (outcome: TryOutcome): Promise<void> => {
      if (waitMs > 0) return
      await this.#end(keys, outcome)
      if (outcome === 'right') await this.#know(known)
    }
    return { waitMs, end }
  }

  #isKnown(key: string): Promise<boolean> {
    return this.deps.counters.update<number, boolean>([key], ([at]) => ({ result: at !== undefined, ttlMs: 0 }))
  }

  async #know(key: string): Promise<void> {
    const now = this.deps.clock.now()
    await this.deps.counters.update<number, void>([key], () => ({ states: [now], ttlMs: KNOWN_MS, result: undefined }))
  }

  async #end(keys: Keys, outcome: TryOutcome): Promise<void> {
    const now = this.deps.clock.now()
    await this.#update(keys, (states) => ({
      states: keys.map(([kind], index) => {
        const after = tryEnds(states[index], outcome, now)
        // Only the pair is forgiven: knowing one password says nothing about guesses at others from the same address.
        return outcome === 'right' && kind === 'pair' ? { ...after, wrong: 0 } : after
      }),
      result: undefined,
    }))
  }

  #update<Result>(keys: Keys, step: (states: States) => { states?: readonly Attempts[]; result: Result }) {
    const now = this.deps.clock.now()
    const names = keys.map(([, key]) => key)
    return this.deps.counters.update<Attempts, Result>(names, (before) => {
      const { states, result } = step(before)
      if (states === undefined) return { result, ttlMs: 0 }
      const memories = keys.map(([kind], index) => {
        const state = states[index]
        return state === undefined ? 0 : memoryMs(state, this.limits[kind], now)
      })
      const kept = states.map((state, index) => ((memories[index] ?? 0) > 0 ? state : undefined))
      return { states: kept, ttlMs: Math.max(...memories), result }
    })
  }

  #keysOf(account: string, ip: string): Keys {
    const address = addressGroup(ip)
    const name = nameOf(account)
    return [
      ['pair', `${this.name} pair ${address} ${name}`],
      ['address', `${this.name} address ${address}`],
      ['account', `${this.name} account ${name}`],
    ]
  }
}

type Keys = readonly (readonly [Kind, string])[]
type States = readonly (Attempts | undefined)[]

/** No account is called so; what somebody types must not fill the memory. */
const MAX_NAME_LENGTH = 320

const nameOf = (account: string): string => account.trim().toLowerCase().slice(0, MAX_NAME_LENGTH)
