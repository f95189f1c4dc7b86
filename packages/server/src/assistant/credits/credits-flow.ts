import type { AiCredits } from '@printwarden/protocol'
import type { Kysely } from 'kysely'
import { TurnsById } from '../../turns-by-id.js'
import { ApiError } from '../../errors.js'
import type { Clock, Database, Log } from '../../ports.js'
import type { Tables } from '../../tables.js'
import { findUser } from '../../users/store.js'
import {
  broughtUpToDate,
  type CreditAccount,
  type CreditChange,
  type Debit,
  debited,
  monthOf,
  newAccount,
  refunded,
  withGrant,
} from './account.js'
import {
  type CreditEntryRow,
  type CreditsRow,
  findCredits,
  type HeldDebit,
  insertEntry,
  insertHold,
  listLostHolds,
  listOwnQuotas,
  putCredits,
  takeHold,
} from './credits-store.js'
import { creditsView } from './credits-view.js'

type Trx = Kysely<Tables>

/** How long after a call must have ended it counts as lost: clocks of several nodes differ. */
const LEASE_MARGIN_MS = 60_000

export interface CreditsFlowDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** The quota of accounts that have none of their own; −1 = unlimited. */
  readonly defaultQuota: number
  /** How long one call may take. */
  readonly longestCallMs: number
}

/** A credit that was taken for a call. One of both is to be called when the call has ended; if neither is, it is given back later. */
export interface TakenCredit {
  /** The call was answered. */
  keep(): Promise<void>
  /** The call failed. */
  giveBack(): Promise<void>
}

/** Nothing is counted, so nothing can be given back. */
const UNCOUNTED: TakenCredit = { async keep() {}, async giveBack() {} }

export type CreditsFlow = ReturnType<typeof creditsFlow>

/** The book of AI credits (decision 11): every change is one transaction that writes the account and the lines for it. */
export function creditsFlow({ database, clock, log, defaultQuota, longestCallMs }: CreditsFlowDeps) {
  const { db } = database
  // Changes of one account meet in its row: here they wait instead, so that a database that tries again has little to do.
  const turns = new TurnsById()

  const quotaOf = (row: Pick<CreditsRow, 'own_quota'> | undefined): number => row?.own_quota ?? defaultQuota

  /** The account as it stands now, with what had to happen for it. */
  function currentOf(row: CreditsRow | undefined): CreditChange {
    const month = monthOf(clock.now())
    return row === undefined ? newAccount(quotaOf(row), month) : broughtUpToDate(row, quotaOf(row), month)
  }

  /** Changes one account; what `change` says is written with everything that was due before. */
  function changing<T>(userId: number, change: (account: Opened) => Promise<T>): Promise<T> {
    return turns.run(userId, () => database.transaction(async (trx) => change(await open(trx, userId))))
  }

  type Opened = Awaited<ReturnType<typeof open>>

  async function open(trx: Trx, userId: number) {
    const now = clock.now()
    const row = await findCredits(trx, userId)
    const created_at = row?.created_at ?? now
    let own_quota = row?.own_quota ?? null
    let { account, lines } = currentOf(row)

    async function write(change: CreditChange, about: string | null = null): Promise<CreditEntryRow[]> {
      account = change.account
      const { quota, used, granted, month } = account
      const stored = { user_id: userId, own_quota, quota, used, granted, month }
      await putCredits(trx, { ...stored, created_at, updated_at: now })
      const written: CreditEntryRow[] = []
      for (const line of change.lines)
        written.push(await insertEntry(trx, { ...line, user_id: userId, about, created_at: now }))
      return written
    }

    /** Gives back what a call took, unless that was said of it already. */
    async function giveBack(entryId: number, debit: Debit, about: string): Promise<void> {
      if (await takeHold(trx, entryId)) await write(refunded(account, debit), about)
    }

    if (lines.length > 0 || row === undefined || row.month !== account.month) await write({ account, lines })
    for (const lost of await listLostHolds(trx, now, userId)) await giveBack(lost.entry_id, lost, LOST)
    return {
      trx,
      now,
      write,
      giveBack,
      get account(): CreditAccount {
        return account
      },
      async setOwnQuota(quota: number): Promise<void> {
        own_quota = quota
        await write(broughtUpToDate(account, quota, account.month))
      },
      view: (): AiCredits => creditsView(userId, account, { created_at, updated_at: now }),
    }
  }

  /** Ends what a call took, one way or the other. */
  function taken(userId: number, entry: CreditEntryRow, month: number): TakenCredit {
    const debit = { free: entry.free, granted: entry.granted, month }
    return {
      async keep() {
        await takeHold(db, entry.id)
      },
      giveBack: () => changing(userId, (opened) => opened.giveBack(entry.id, debit, 'the call failed')),
    }
  }

  return {
    /** What is left for a user, as of now. Nothing is written: a month that has begun is seen by the clock. */
    async read(userId: number): Promise<AiCredits> {
      const row = await findCredits(db, userId)
      const { account } = currentOf(row)
      const user = row === undefined ? await findUser(db, userId) : undefined
      const begun = user?.date_joined ?? clock.now()
      return creditsView(userId, account, row ?? { created_at: begun, updated_at: begun })
    },

    /**
     * Takes one credit, to be kept or given back. `about` says what for, as a prompt's name.
     * @throws {ApiError} credits_exhausted
     */
    async take(userId: number, about: string): Promise<TakenCredit> {
      return changing(userId, async (opened) => {
        const change = debited(opened.account)
        if (change === undefined) throw new ApiError('credits_exhausted')
        if (change.lines.length === 0) return UNCOUNTED
        const [entry] = await opened.write(change, about)
        if (entry === undefined) throw new Error('a debit was not written')
        const { month } = opened.account
        const lease_until = opened.now + longestCallMs + LEASE_MARGIN_MS
        await insertHold(opened.trx, { entry_id: entry.id, user_id: userId, month, lease_until })
        return taken(userId, entry, month)
      })
    },

    /**
     * Looks whether there is a credit to take. Nothing is taken or written.
     * @throws {ApiError} credits_exhausted
     */
    async requireOne(userId: number): Promise<void> {
      if (debited(currentOf(await findCredits(db, userId)).account) !== undefined) return
      // What lost calls took comes back when one is taken.
      if ((await listLostHolds(db, clock.now(), userId)).length > 0) return
      throw new ApiError('credits_exhausted')
    },

    /** Adds credits that do not end with the month. @throws {ApiError} not_found */
    async grant(userId: number, amount: number, note: string | null): Promise<AiCredits> {
      await requireUser(userId)
      return changing(userId, async (opened) => {
        await opened.write(withGrant(opened.account, amount), note)
        return opened.view()
      })
    },

    /** Gives an account a quota of its own; −1 = unlimited. @throws {ApiError} not_found */
    async setQuota(userId: number, quota: number): Promise<void> {
      await requireUser(userId)
      await changing(userId, (opened) => opened.setOwnQuota(quota))
    },

    /** The quota of every account, by user. */
    async quotas(): Promise<(userId: number) => number> {
      const own = await listOwnQuotas(db)
      return (userId) => own.get(userId) ?? defaultQuota
    },

    /** Gives back what calls took whose server is gone. Each is given back once, whoever asks. */
    async recover(): Promise<number> {
      const lost: HeldDebit[] = await listLostHolds(db, clock.now())
      for (const userId of new Set(lost.map(({ user_id }) => user_id))) await changing(userId, async () => undefined)
      if (lost.length > 0) log.warn({ count: lost.length }, 'credits of lost calls were given back')
      return lost.length
    },
  }

  async function requireUser(userId: number): Promise<void> {
    if ((await findUser(db, userId)) === undefined) throw new ApiError('not_found')
  }
}

const LOST = 'the server went away before the call ended'
