import { ApiError } from '@printwarden/sdk'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import type { Conversation } from '../../assistant/conversation.js'
import { useProblemWords } from '../../assistant/use-assistant.js'
import { notConfiguredWords, proposalState } from '../../assistant/words.js'
import { ProblemCard } from '../../components/problem-card.js'
import { Composer } from './composer.js'
import { ProposalCard } from './proposal-card.js'
import { ComingView, TurnView } from './turn-view.js'
import { Welcome } from './welcome.js'

/** One conversation, with the place to go on with it. */
export function ConversationView(props: { conversation: Conversation; input: RefObject<HTMLTextAreaElement | null> }) {
  const { conversation, input } = props
  const { assistant, user } = useApp()
  const turns = conversation.turns.value
  const coming = conversation.coming.value
  const isLoading = conversation.isLoading.value && turns.length === 0
  const isConfigured = assistant.isConfigured.value !== false
  const isEmpty = turns.length === 0 && !isLoading && conversation.problem.value === undefined
  useFollowing(turns.length + (conversation.problem.value === undefined ? 0 : 1), coming?.text.length ?? 0)

  return (
    <section class="conversation" aria-label="Conversation">
      <div class="turns" role="log" aria-live="polite" aria-busy={coming !== undefined}>
        {isLoading && <p class="quiet">Loading the conversation…</p>}
        {turns.map((turn, index) => (
          <TurnView key={index} turn={turn} />
        ))}
        {coming !== undefined && <ComingView coming={coming} />}
        <Problem conversation={conversation} />
      </div>
      {isEmpty && isConfigured && <Welcome onAsk={(question) => conversation.ask(question)} />}
      <OpenProposals conversation={conversation} />
      {isConfigured ? (
        <Composer conversation={conversation} input={input} />
      ) : (
        <ProblemCard words={notConfiguredWords(user.is_admin)} isQuiet />
      )}
    </section>
  )
}

function Problem({ conversation }: { conversation: Conversation }) {
  const wordsOf = useProblemWords()
  const error = conversation.problem.value
  if (error === undefined) return null
  const isUnasked = conversation.turns.value.length === 0
  if (isUnasked && error instanceof ApiError && error.code === 'not_found')
    return <p class="quiet">There is no such conversation. It may have been deleted.</p>
  const words = wordsOf(error)
  return (
    <ProblemCard words={isUnasked ? { ...words, title: 'The conversation could not be loaded' } : words}>
      {words.canRetry && (
        <button
          type="button"
          class="button small"
          onClick={() => (isUnasked ? conversation.load() : conversation.askAgain())}
        >
          Try again
        </button>
      )}
    </ProblemCard>
  )
}

/** What still waits for the user's word and was proposed elsewhere, as before a reload. */
function OpenProposals({ conversation }: { conversation: Conversation }) {
  const { assistant, now } = useApp()
  const shown = new Set(conversation.turns.value.flatMap((turn) => (turn.role === 'assistant' ? turn.proposals : [])))
  const open = [...assistant.proposals.known.value.values()].filter(
    (proposal) => !shown.has(proposal.id) && ['waiting', 'running'].includes(proposalState(proposal, now.value)),
  )
  if (open.length === 0) return null
  return (
    <section class="open-proposals" aria-label="Waiting for your word">
      <h2>Waiting for your word</h2>
      {open.map((proposal) => (
        <ProposalCard key={proposal.id} proposal={proposal} />
      ))}
    </section>
  )
}

/** How far above its end a page may stand and still follow what comes, in pixels. */
const NEAR = 220

/** Keeps the newest words in sight, unless the reader has scrolled away from them; a new turn always is. */
function useFollowing(parts: number, length: number): void {
  const toEnd = () => window.scrollTo(0, document.documentElement.scrollHeight)
  useEffect(() => {
    if (parts > 0) toEnd()
  }, [parts])
  useEffect(() => {
    const { scrollHeight } = document.documentElement
    if (length > 0 && scrollHeight - window.scrollY - window.innerHeight < NEAR) toEnd()
  }, [length])
}
