import type { AiCreditEntry, AiCredits } from '@printwarden/protocol'
import { AiCreditEntryKind } from '@printwarden/protocol'
import { instantView } from '../../prints/view.js'
import type { CreditAccount } from './account.js'
import type { CreditEntryRow } from './credits-store.js'

/** Credits as their user sees them. */
export function creditsView(
  userId: number,
  { quota, used, granted }: CreditAccount,
  times: { readonly created_at: number; readonly updated_at: number },
): AiCredits {
  return {
    user: userId,
    ai_credit_free_monthly_quota: quota,
    ai_credit_used_current_month: used,
    ai_credit_granted: granted,
    created_at: instantView(times.created_at),
    updated_at: instantView(times.updated_at),
  }
}

/** A line of the book as an administrator sees it. */
export function entryView({ id, kind, free, granted, about, created_at }: CreditEntryRow): AiCreditEntry {
  return { id, kind: AiCreditEntryKind.parse(kind), free, granted, about, created_at: instantView(created_at) }
}
