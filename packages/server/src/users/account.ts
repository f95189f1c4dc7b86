import type { UserRow } from './store.js'

/** What an administrator changes about an account. */
export interface AccountChange {
  readonly is_admin?: boolean | undefined
  readonly disabled?: boolean | undefined
  readonly password?: string | undefined
}

type Account = Pick<UserRow, 'is_admin' | 'disabled_at'>

/** Whether somebody who can administer the server no longer could. */
export function losesAdministrator(before: Account, change: AccountChange): boolean {
  const isAble = before.is_admin === 1 && before.disabled_at === null
  return isAble && (change.is_admin === false || change.disabled === true)
}

/** Whether the account must sign in again. */
export function endsSessions(change: AccountChange): boolean {
  return change.disabled === true || change.password !== undefined
}

/** Whether what let the account in before must no longer be relied on. */
export function cutsOff(before: Account, change: AccountChange): boolean {
  return endsSessions(change) || losesAdministrator(before, change)
}

/** A change as columns. Disabling twice keeps the first time. */
export function accountColumns(
  before: Account,
  { is_admin, disabled }: AccountChange,
  passwordHash: string | undefined,
  now: number,
): Partial<Pick<UserRow, 'is_admin' | 'disabled_at' | 'password_hash'>> {
  return {
    ...(is_admin === undefined ? {} : { is_admin: is_admin ? 1 : 0 }),
    ...(disabled === undefined ? {} : { disabled_at: disabled ? (before.disabled_at ?? now) : null }),
    ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
  }
}
