import type { Account } from '@printwarden/protocol'
import { instantView } from '../prints/view.js'
import type { UserRow } from '../users/store.js'

/** An account as an administrator sees it. */
export function accountView(
  user: UserRow,
  { printers, quota }: { readonly printers: number; readonly quota: number },
): Account {
  return {
    id: user.id,
    email: user.email,
    is_admin: user.is_admin === 1,
    disabled_at: instantView(user.disabled_at),
    date_joined: instantView(user.date_joined),
    last_active_at: instantView(user.last_active_at),
    printer_count: printers,
    ai_credit_free_monthly_quota: quota,
  }
}
