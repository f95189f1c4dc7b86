import type { ActionProposal, ProposedAction } from '@printwarden/protocol'
import type { Clock } from '../../ports.js'
import { insertProposal, type NewProposal, pruneProposals, renewWaitingTwin } from './proposal-store.js'
import { proposalView } from './proposal-view.js'
import { findMeant, type SituationDeps } from './situation-flow.js'
import { untimely } from './untimely.js'

/** For so long what was proposed can be confirmed: later the printer is another than the one that was spoken of. */
export const PROPOSAL_MS = 15 * 60_000
const KEEP_MS = 30 * 24 * 3_600_000

export interface ProposeFlowDeps extends SituationDeps {
  readonly clock: Clock
}

/** What a model wishes to propose. Nothing of it was checked. */
export interface ProposalWish {
  readonly action: ProposedAction
  readonly printer_id: number
  readonly g_code_file_id: number | null
  readonly reason: string
}

export type ProposeFlow = ReturnType<typeof proposeFlow>

/** Makes proposals. It knows of nothing that could carry one out: that is for {@link confirmFlow}, and for the user. */
export function proposeFlow({ database, live, clock }: ProposeFlowDeps) {
  /** Looks whether the wish is about the user's own things and makes sense now; else says why not. */
  async function check(userId: number, wish: ProposalWish): Promise<NewProposal | { readonly refusal: string }> {
    const { action, printer_id, reason } = wish
    const isPrint = action === 'print'
    const wanted = { printer_id, g_code_file_id: isPrint ? wish.g_code_file_id : null }
    if (isPrint && wanted.g_code_file_id === null) return { refusal: 'Which file? Name its g_code_file_id.' }
    const meant = await findMeant({ database, live }, userId, wanted)
    if (meant === undefined) return { refusal: 'There is no such printer.' }
    const { file, print } = meant
    if (isPrint && file === undefined) return { refusal: 'There is no such file.' }
    const refusal = untimely(action, meant)
    if (refusal !== undefined) return { refusal }
    return {
      ...wanted,
      ...{ user_id: userId, action, reason },
      print_id: isPrint ? null : (print?.id ?? null),
      filename: (isPrint ? file?.filename : print?.filename) ?? null,
    }
  }

  /** Keeps what was checked. What waits already is not proposed a second time, but renewed: it was asked for now. */
  async function keep(userId: number, proposals: readonly NewProposal[]): Promise<ActionProposal[]> {
    if (proposals.length === 0) return []
    const now = clock.now()
    const expires_at = now + PROPOSAL_MS
    const fresh = { state: 'waiting', error: null, decided_at: null, created_at: now, expires_at }
    const rows = await database.transaction(async (trx) => {
      await pruneProposals(trx, userId, now - KEEP_MS)
      const kept = []
      for (const one of proposals) {
        const renewed = await renewWaitingTwin(trx, one, { now, expires_at })
        kept.push(renewed ?? (await insertProposal(trx, { ...one, ...fresh })))
      }
      return kept
    })
    return rows.map((row) => proposalView(row, now))
  }

  return { check, keep }
}
