import type { ActionProposal } from '@printwarden/sdk'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { quoted } from '../../assistant/quoted.js'
import {
  cancelQuestion,
  proposalConfirm,
  proposalEffect,
  proposalOutcome,
  proposalState,
  proposalTimeLeft,
  proposalTitle,
} from '../../assistant/words.js'
import { ConfirmDialog } from '../../components/dialog.js'
import { LivePicture } from '../../components/live-picture.js'
import { secondsOf, timeOfDay } from '../../format.js'

/** Something that the assistant proposes to do. What it is, is said in our own words; the model's are marked as such. */
export function ProposalCard({ proposal }: { proposal: ActionProposal }) {
  const { live, now } = useApp()
  const printer = live.printers.value.get(proposal.printer_id)
  const state = proposalState(proposal, now.value)
  const outcome = proposalOutcome(proposal, now.value)
  const isOpen = outcome === undefined
  const title = proposalTitle(proposal)
  const line = useRef<HTMLParagraphElement>(null)
  const hasDecided = useRef(false)
  useLayoutEffect(() => {
    // The button that had the focus is gone: what became of it is read next. Who went elsewhere meanwhile is not fetched back.
    if (!hasDecided.current || state === 'waiting') return
    hasDecided.current = false
    if (document.activeElement === null || document.activeElement === document.body) line.current?.focus()
  }, [state])
  const onDecide = () => {
    hasDecided.current = true
  }
  return (
    <section class={`proposal of-${proposal.action} ${isOpen ? 'is-open' : ''}`} aria-label={title}>
      {isOpen && printer?.pic != null && (
        <div class="proposal-picture">
          <LivePicture pic={printer.pic} isRaw={false} isCurrent={false} name={printer.name} />
        </div>
      )}
      <div class="proposal-words">
        <p class="proposal-kind">{isOpen ? 'The assistant proposes' : 'The assistant proposed'}</p>
        <h3>{title}</h3>
        {isOpen && <p>{proposalEffect(proposal)}</p>}
        {proposal.reason !== '' && (
          <p class="proposal-reason">
            <span class="quiet">In its words:</span> “<bdi>{proposal.reason}</bdi>”
          </p>
        )}
        {state === 'waiting' && <Decision proposal={proposal} onDecide={onDecide} />}
        {state !== 'waiting' && (
          // One element whatever became of it, so that it keeps the focus.
          <p
            ref={line}
            tabIndex={-1}
            class={outcome === undefined ? 'thinking' : `proposal-outcome tone-${outcome.tone}`}
            role="status"
          >
            {outcome === undefined ? (
              <>
                <span class="spinner" aria-hidden="true" /> Telling {quoted(proposal.printer_name)}…
              </>
            ) : (
              <>
                {outcome.text} <a href={`/printers/${proposal.printer_id}`}>See {quoted(proposal.printer_name)}</a>
              </>
            )}
          </p>
        )}
      </div>
    </section>
  )
}

function Decision({ proposal, onDecide }: { proposal: ActionProposal; onDecide: () => void }) {
  const { assistant, live, now } = useApp()
  const [isAsking, setAsking] = useState(false)
  const printer = live.printers.value.get(proposal.printer_id)
  const isOther = proposal.print_id !== null && printer !== undefined && printer.current_print?.id !== proposal.print_id
  const isCancel = proposal.action === 'cancel'
  const confirm = () => {
    onDecide()
    assistant.proposals.confirm(proposal)
  }
  const decline = () => {
    onDecide()
    assistant.proposals.dismiss(proposal)
  }
  return (
    <>
      {isOther && (
        <p class="tone-warning">That print is over. Only that one can be meant, so this can no longer be done.</p>
      )}
      <div class="buttons">
        <button type="button" class="button" onClick={decline}>
          Decline
        </button>
        <button
          type="button"
          class={`button ${isCancel ? 'danger-outline' : 'primary'}`}
          disabled={isOther}
          onClick={isCancel ? () => setAsking(true) : confirm}
        >
          {proposalConfirm(proposal)}
        </button>
        <span class="hint">
          <span aria-hidden="true">{proposalTimeLeft(proposal, now.value)} left</span>
          <span class="off-screen">It can be confirmed until {timeOfDay(secondsOf(proposal.expires_at))}.</span>
        </span>
      </div>
      {isAsking && (
        <ConfirmDialog
          title="Cancel this print?"
          text={cancelQuestion(proposal)}
          confirm="Cancel the print"
          dismiss="Keep printing"
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
