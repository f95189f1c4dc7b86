import type { AiCreditEntryKind } from '@printwarden/protocol'

// The account of a user's AI credits. Pure: a change comes with the lines that the book gets for it. Of a limited account the sum of
// `free` is what is left of the month (quota − used), of an unlimited one it is 0; the sum of `granted` is what is left of that.

/** No limit, so nothing is counted. */
export const UNLIMITED = -1

/** What an account may ask in a month, and what it has asked. */
export interface CreditAccount {
  /** Credits a month; −1 = unlimited. */
  readonly quota: number
  readonly used: number
  /** What is left of granted credits, which do not end with the month. */
  readonly granted: number
  /** The month that `used` counts, by {@link monthOf}. */
  readonly month: number
}

/** A line of the book: what was added to both kinds of credits. */
export interface CreditLine {
  readonly kind: AiCreditEntryKind
  readonly free: number
  readonly granted: number
}

/** A debit that may have to be given back. */
export type Debit = Pick<CreditLine, 'free' | 'granted'> & { readonly month: number }

export interface CreditChange {
  readonly account: CreditAccount
  readonly lines: readonly CreditLine[]
}

/** The number of a month in UTC, which grows by one each month. */
export function monthOf(now: number): number {
  const date = new Date(now)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** An account that was never used. */
export function newAccount(quota: number, month: number): CreditChange {
  const lines = quota === UNLIMITED ? [] : [line('quota', quota)]
  return { account: { quota, used: 0, granted: 0, month }, lines }
}

/** The account as it stands now: a new month begins at nought, and the server's quota may have changed. Clocks that go back change nothing. */
export function broughtUpToDate(account: CreditAccount, quota: number, month: number): CreditChange {
  const reset = withMonth(account, month)
  const changed = withQuota(reset.account, quota)
  return { account: changed.account, lines: [...reset.lines, ...changed.lines] }
}

function withMonth(account: CreditAccount, month: number): CreditChange {
  if (month <= account.month) return { account, lines: [] }
  const lines = account.quota === UNLIMITED || account.used === 0 ? [] : [line('reset', account.used)]
  return { account: { ...account, used: 0, month }, lines }
}

/** The account with another quota. What was used this month stays used. */
export function withQuota(account: CreditAccount, quota: number): CreditChange {
  if (quota === account.quota) return { account, lines: [] }
  const change = freeOf({ ...account, quota }) - freeOf(account)
  return { account: { ...account, quota }, lines: change === 0 ? [] : [line('quota', change)] }
}

/** What is left of the month. */
const freeOf = ({ quota, used }: CreditAccount): number => (quota === UNLIMITED ? 0 : quota - used)

/** Takes one credit: of the month's while there are any, then of the granted ones. Undefined when there is none. */
export function debited(account: CreditAccount): CreditChange | undefined {
  if (account.quota === UNLIMITED) return { account, lines: [] }
  if (account.used < account.quota) {
    return { account: { ...account, used: account.used + 1 }, lines: [line('debit', -1)] }
  }
  if (account.granted === 0) return undefined
  return { account: { ...account, granted: account.granted - 1 }, lines: [line('debit', 0, -1)] }
}

/** Gives back what a debit took. One of an earlier month's credits was given back by the new month already. */
export function refunded(account: CreditAccount, debit: Debit): CreditChange {
  const isOfThisMonth = debit.month === account.month && account.used > 0
  const used = isOfThisMonth ? account.used + debit.free : account.used
  const after = { ...account, used, granted: account.granted - debit.granted }
  return { account: after, lines: [line('refund', freeOf(after) - freeOf(account), -debit.granted)] }
}

/** Adds credits that do not end with the month. */
export function withGrant(account: CreditAccount, amount: number): CreditChange {
  return { account: { ...account, granted: account.granted + amount }, lines: [line('grant', 0, amount)] }
}

function line(kind: AiCreditEntryKind, free: number, granted = 0): CreditLine {
  // No −0, which is not 0 to everybody.
  return { kind, free: free + 0, granted: granted + 0 }
}
