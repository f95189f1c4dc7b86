import {
  type AttemptLimit,
  type Attempts,
  addressGroup,
  isForgotten,
  tryBegins,
  tryEnds,
  waitBeforeTry,
} from './attempts.js'

/**
 * The three limits. One address guessing at one account is slowed first. One address at many accounts, and many addresses at one
 * account, are slowed later; the last of these never for long, since it also meets the owner.
 */
const LIMITS = {
  pair: { free: 5, firstWaitMs: 30_000, maxWaitMs: 15 * 60_000 },
  address: { free: 30, firstWaitMs: 30_000, maxWaitMs: 15 * 60_000 },
  account: { free: 100, firstWaitMs: 5_000, maxWaitMs: 60_000 },
} as const satisfies Record<string, AttemptLimit>

type Kind = keyof typeof LIMITS
export type Limits = Readonly<Record<Kind, AttemptLimit>>

/** For codes of six digits: whoever guesses them knows the password already, so the account itself is held up too. */
export const CODE_LIMITS: Limits = { ...LIMITS, account: { free: 20, firstWaitMs: 30_000, maxWaitMs: 15 * 60_000 } }

/** For letters that somebody asks for: each counts, whether it was due or not. */
export const REQUEST_LIMITS: Limits = {
  pair: { free: 3, firstWaitMs: 60_000, maxWaitMs: 60 * 60_000 },
  address: { free: 20, firstWaitMs: 60_000, maxWaitMs: 60 * 60_000 },
  account: { free: 5, firstWaitMs: 5 * 60_000, maxWaitMs: 60 * 60_000 },
}

/** So much is remembered before what is over is dropped. */
const PRUNE_ABOVE = 10_000

/** Slows those who guess passwords. Each process counts for itself. */
export class AttemptLimiter {
  readonly #entries = new Map<string, { readonly kind: Kind; readonly attempts: Attempts }>()
  readonly #limits: Limits
  #pruneAbove = PRUNE_ABOVE

  constructor(limits: Limits = LIMITS) {
    this.#limits = limits
  }

  /**
   * Asks for a try. When it is granted (`waitMs` 0), `end` must be called once with its outcome. A refused one counts nothing, so
   * waiting helps.
   */
  begin(account: string, ip: string, now: number): { waitMs: number; end: (outcome: TryOutcome, now: number) => void } {
    const keys = keysOf(account, ip)
    const waitMs = Math.max(...keys.map(([kind, key]) => waitBeforeTry(this.#attempts(key), this.#limits[kind], now)))
    if (waitMs > 0) return { waitMs, end: () => undefined }
    for (const [kind, key] of keys) this.#set(kind, key, tryBegins(this.#attempts(key), this.#limits[kind], now))
    this.#prune(now)
    return { waitMs: 0, end: (outcome, at) => this.#end(keys, outcome, at) }
  }

  #end(keys: readonly (readonly [Kind, string])[], outcome: TryOutcome, now: number): void {
    for (const [kind, key] of keys) {
      const after = tryEnds(this.#attempts(key), outcome, now)
      // Only the pair is forgiven: knowing one password says nothing about guesses at others from the same address.
      this.#set(kind, key, outcome === 'right' && kind === 'pair' ? { ...after, wrong: 0 } : after)
    }
  }

  #attempts(key: string): Attempts | undefined {
    return this.#entries.get(key)?.attempts
  }

  #set(kind: Kind, key: string, attempts: Attempts): void {
    this.#entries.set(key, { kind, attempts })
  }

  #prune(now: number): void {
    if (this.#entries.size <= this.#pruneAbove) return
    for (const [key, { kind, attempts }] of this.#entries) {
      if (isForgotten(attempts, this.#limits[kind], now)) this.#entries.delete(key)
    }
    this.#pruneAbove = Math.max(PRUNE_ABOVE, this.#entries.size * 2)
  }
}

type TryOutcome = Parameters<typeof tryEnds>[1]

function keysOf(account: string, ip: string): readonly (readonly [Kind, string])[] {
  const address = addressGroup(ip)
  const name = account.trim().toLowerCase()
  return [
    ['pair', `pair ${address} ${name}`],
    ['address', `address ${address}`],
    ['account', `account ${name}`],
  ]
}
