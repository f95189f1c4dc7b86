import type { AiCreditEntry, AiCredits } from '@printwarden/protocol'
import { FakeRefusal } from './fake-refusal.js'
import type { FakeState } from './fake-state.js'

const UNLIMITED = -1

/** What questions to the assistant cost, and what is left of the credits. */
export interface FakeCredits {
  readonly creditsOf: (userId: number) => AiCredits
  /** The book of an account, newest first. */
  readonly entriesOf: (userId: number) => AiCreditEntry[]
  readonly write: (userId: number, entry: Omit<AiCreditEntry, 'id' | 'created_at'>) => void
  /** Takes one; throws the refusal when none is left. */
  readonly take: (userId: number, about: string) => void
}

/** The book of a fake that nobody has asked anything yet. */
export function fakeCredits(state: FakeState): FakeCredits {
  const entries: { readonly userId: number; readonly entry: AiCreditEntry }[] = []
  const entriesOf = (userId: number): AiCreditEntry[] =>
    entries.filter((one) => one.userId === userId).map(({ entry }) => entry)
  const sumOf = (userId: number, kind: 'free' | 'granted'): number =>
    entriesOf(userId).reduce((sum, entry) => sum + entry[kind], 0)
  const quotaOf = (userId: number): number => state.aiQuotas.get(userId) ?? UNLIMITED

  function creditsOf(userId: number): AiCredits {
    const created_at = state.users.get(userId)?.date_joined ?? state.now()
    return {
      user: userId,
      ai_credit_free_monthly_quota: quotaOf(userId),
      ai_credit_used_current_month: -sumOf(userId, 'free'),
      ai_credit_granted: sumOf(userId, 'granted'),
      created_at,
      updated_at: created_at,
    }
  }

  const write: FakeCredits['write'] = (userId, entry) =>
    void entries.unshift({ userId, entry: { ...entry, id: state.nextId(), created_at: state.now() } })

  return {
    creditsOf,
    entriesOf,
    write,
    take(userId, about) {
      const { ai_credit_used_current_month: used, ai_credit_granted: granted } = creditsOf(userId)
      const quota = quotaOf(userId)
      if (quota === UNLIMITED) return
      if (used >= quota && granted === 0) throw new FakeRefusal('credits_exhausted')
      const taken = used < quota ? { free: -1, granted: 0 } : { free: 0, granted: -1 }
      write(userId, { kind: 'debit', ...taken, about })
    },
  }
}
