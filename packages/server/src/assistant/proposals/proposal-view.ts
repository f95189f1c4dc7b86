import { type ActionProposal, ProposalState, ProposedAction } from '@printwarden/protocol'
import { instantView } from '../../prints/view.js'
import type { ProposalRecord } from './proposal-store.js'

/** Handing a command over takes seconds: what runs for longer was cut off. */
export const RUNNING_MS = 2 * 60_000

/** What is said of an action that was cut off: the command may have been sent before. */
export const CUT_OFF = 'Something went wrong in the middle: it is not known whether this was done. Look at the printer.'

/** A proposal as its user sees it. Time alone makes it expire, or shows that it was cut off; then it is not run again. */
export function proposalView(proposal: ProposalRecord, now: number): ActionProposal {
  const { state, error } = standing(proposal, now)
  return {
    id: proposal.id,
    action: ProposedAction.parse(proposal.action),
    printer_id: proposal.printer_id,
    printer_name: proposal.printer_name,
    print_id: proposal.print_id,
    g_code_file_id: proposal.g_code_file_id,
    filename: proposal.filename,
    reason: proposal.reason,
    state,
    error,
    created_at: instantView(proposal.created_at),
    expires_at: instantView(proposal.expires_at),
    decided_at: instantView(proposal.decided_at),
  }
}

function standing(proposal: ProposalRecord, now: number): Pick<ActionProposal, 'state' | 'error'> {
  const { error, expires_at, decided_at } = proposal
  const state = ProposalState.parse(proposal.state)
  if (state === 'waiting' && expires_at <= now) return { state: 'expired', error }
  if (state === 'running' && (decided_at ?? 0) + RUNNING_MS <= now) return { state: 'failed', error: CUT_OFF }
  return { state, error }
}
