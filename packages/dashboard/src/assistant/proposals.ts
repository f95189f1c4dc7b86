import { type ReadonlySignal, signal } from '@preact/signals'
import { type ActionProposal, ApiError, type Client } from '@printwarden/sdk'
import type { Notices } from '../notices.js'

/** What the assistant proposed to do, as it stands. */
export interface Proposals {
  readonly known: ReadonlySignal<ReadonlyMap<number, ActionProposal>>
  put(proposals: readonly ActionProposal[]): void
  refresh(): void
  /** Does it, on the user's word. */
  confirm(proposal: ActionProposal): void
  dismiss(proposal: ActionProposal): void
}

/** How long a printer may take to do it. */
const CONFIRM_TIMEOUT_MS = 150_000
const POLL_MS = 2_000

/** The user's proposals. */
export function openProposals(client: Client, notices: Notices): Proposals {
  const known = signal<ReadonlyMap<number, ActionProposal>>(new Map())
  const deciding = new Set<number>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function put(proposals: readonly ActionProposal[]): void {
    if (proposals.length === 0) return
    known.value = new Map([...known.value, ...proposals.map((one) => [one.id, one] as const)])
  }

  function refresh(): void {
    clearTimeout(timer)
    client.listActionProposals({ limit: 100 }).then(
      (list) => {
        // What is being decided here is told by its own answer.
        put(list.filter(({ id }) => !deciding.has(id)))
        if (list.some(({ id, state }) => state === 'running' && !deciding.has(id))) timer = setTimeout(refresh, POLL_MS)
      },
      (error: unknown) => notices.complain('Could not load what the assistant proposed', error),
    )
  }

  function decide(proposal: ActionProposal, what: string, call: () => Promise<ActionProposal>): void {
    if (deciding.has(proposal.id)) return
    deciding.add(proposal.id)
    call()
      .then((decided) => {
        deciding.delete(proposal.id)
        put([decided])
      })
      .catch((error: unknown) => {
        deciding.delete(proposal.id)
        put([proposal])
        // A conflict is told by what the proposal is by now.
        if (!(error instanceof ApiError && error.code === 'conflict')) notices.complain(what, error)
        else notices.say(error.detail)
        refresh()
      })
  }

  return {
    known,
    put,
    refresh,
    confirm(proposal) {
      if (deciding.has(proposal.id)) return
      const { id } = proposal
      // Never tried a second time by itself: it is done once, or not at all.
      const options = { timeoutMs: CONFIRM_TIMEOUT_MS, retry: false } as const
      decide(proposal, 'Could not do it', () => client.confirmActionProposal({ id }, options))
      put([{ ...proposal, state: 'running' }])
    },
    dismiss(proposal) {
      const { id } = proposal
      decide(proposal, 'Could not decline it', () => client.dismissActionProposal({ id }))
    },
  }
}
