import type { ActionProposal } from '@printwarden/protocol'
import { ApiError } from '../../errors.js'
import type { PrintFlow } from '../../g-code/print-flow.js'
import type { Caller } from '../../http/api.js'
import type { Clock, Log } from '../../ports.js'
import type { ActionFlow } from '../../printers/action-flow.js'
import { type Actor, actorOf } from '../../printers/actor-flow.js'
import { BY_ASSISTANT } from '../../prints/last-action.js'
import type { Viewer } from '../../prints/view.js'
import { decideProposal, endProposal, findVisibleProposal, type ProposalRecord } from './proposal-store.js'
import { CUT_OFF, proposalView } from './proposal-view.js'
import { findMeant, type SituationDeps } from './situation-flow.js'
import { untimely } from './untimely.js'

export interface ConfirmFlowDeps extends SituationDeps {
  readonly clock: Clock
  readonly log: Log
  readonly actions: Pick<ActionFlow, 'pause' | 'resume' | 'cancel'>
  readonly printing: Pick<PrintFlow, 'print'>
}

export type ConfirmFlow = ReturnType<typeof confirmFlow>

/** How a confirmed action has ended. `conflict`: the printer does something else by now. */
interface Outcome {
  readonly error: string | null
  readonly conflict?: boolean
}

const DONE: Outcome = { error: null }
const OTHER_PRINT: Outcome = { error: 'The printer prints something else by now.', conflict: true }
const NOT_HANDED_OVER: Outcome = { error: 'No agent is connected for this printer.' }

/** Decisions of users about what was proposed to them. */
export function confirmFlow({ database, live, clock, log, actions, printing }: ConfirmFlowDeps) {
  const { db } = database

  /**
   * Does what was proposed, once, in the name of the user: whoever comes second finds it decided.
   * @throws {ApiError} not_found, conflict
   */
  async function confirm(caller: Caller, id: number, mediaUrl: Viewer['mediaUrl']): Promise<ActionProposal> {
    const proposal = await decide(caller, id, 'running')
    const actor = { ...(await actorOf(db, caller)), reason: BY_ASSISTANT }
    const outcome = await carryOut(caller, proposal, actor, mediaUrl).catch((err: unknown): Outcome => {
      // Not told as an error of the call: what was sent before is not undone by it.
      log.error({ err, proposal_id: id }, 'a proposal of the assistant was cut off')
      return { error: CUT_OFF }
    })
    const { error, conflict } = outcome
    await endProposal(db, id, { state: error === null ? 'done' : 'failed', error })
    const { action, printer_id } = proposal
    log.info({ proposal_id: id, printer_id, action, error }, 'a proposal of the assistant was confirmed')
    if (conflict === true) throw new ApiError('conflict', error ?? undefined)
    return show(caller, id)
  }

  /** @throws {ApiError} not_found, conflict */
  async function dismiss(caller: Caller, id: number): Promise<ActionProposal> {
    await decide(caller, id, 'dismissed')
    return show(caller, id)
  }

  async function decide(caller: Caller, id: number, state: 'running' | 'dismissed'): Promise<ProposalRecord> {
    const now = clock.now()
    const proposal = await findVisibleProposal(db, caller.user_id, id)
    if (proposal === undefined) throw new ApiError('not_found')
    if (await decideProposal(db, caller.user_id, id, { state, now })) return proposal
    const { state: found } = await show(caller, id)
    throw new ApiError(
      'conflict',
      found === 'expired' ? 'The proposal has expired.' : `The proposal is ${found} already.`,
    )
  }

  async function show(caller: Caller, id: number): Promise<ActionProposal> {
    const proposal = await findVisibleProposal(db, caller.user_id, id)
    if (proposal === undefined) throw new ApiError('not_found')
    return proposalView(proposal, clock.now())
  }

  /** Looks afresh: what made sense when it was proposed need not make sense now. */
  async function carryOut(
    caller: Caller,
    proposal: ProposalRecord,
    actor: Actor,
    mediaUrl: Viewer['mediaUrl'],
  ): Promise<Outcome> {
    const { action } = proposalView(proposal, clock.now())
    const { print_id } = proposal
    const meant = await findMeant({ database, live }, caller.user_id, proposal)
    if (meant === undefined) return { error: 'The printer was deleted.' }
    const { printer, print, file } = meant
    if (action === 'print') {
      if (file === undefined) return { error: 'The file was deleted.' }
      const error = untimely(action, meant)
      if (error !== undefined) return { error }
      const { reason } = await printing.print(file, printer, actor, mediaUrl)
      return { error: reason?.detail ?? null, conflict: reason?.code === 'busy' }
    }
    if (print_id === null || print?.id !== print_id) return OTHER_PRINT
    const error = untimely(action, meant)
    if (error !== undefined) return { error }
    const { succeeded, command_id } = await actions[action](printer, actor, print_id)
    if (succeeded) return DONE
    return command_id === null ? OTHER_PRINT : NOT_HANDED_OVER
  }

  return { confirm, dismiss }
}
