import type { AssistantPicture } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import type { Coming } from '../../assistant/conversation.js'
import type { AnswerTurn, Turn } from '../../assistant/turns.js'
import { AnswerText } from '../../components/answer-text.js'
import { LookList } from '../../components/look-list.js'
import { withLocalTimes } from '../../format.js'
import { ProposalCard } from './proposal-card.js'

/** What was asked, or answered. */
export function TurnView({ turn }: { turn: Turn }) {
  if (turn.role === 'user')
    return (
      <article class="turn of-user" aria-label="You asked">
        <p>{turn.content}</p>
      </article>
    )
  return <AnswerView turn={turn} />
}

function AnswerView({ turn }: { turn: AnswerTurn }) {
  const { assistant } = useApp()
  const known = assistant.proposals.known.value
  return (
    <article class="turn of-assistant" aria-label="The assistant answered">
      <LookList looks={turn.looked_at} />
      <AnswerText text={turn.content} />
      {turn.pictures.length > 0 && (
        <ul class="answer-pictures">
          {turn.pictures.map((picture) => (
            <li key={picture.url}>
              <AnswerPicture picture={picture} />
            </li>
          ))}
        </ul>
      )}
      {turn.proposals.map((id) => {
        const proposal = known.get(id)
        // What can be confirmed is never read from what was kept: only the server says what it is.
        if (proposal === undefined) return null
        return <ProposalCard key={id} proposal={proposal} />
      })}
      {turn.is_stopped && <p class="hint">You stopped this answer.</p>}
    </article>
  )
}

/** An answer as far as it has come. */
export function ComingView({ coming }: { coming: Coming }) {
  return (
    <article class="turn of-assistant is-coming" aria-label="The assistant is answering">
      <LookList looks={coming.looks} />
      {coming.text === '' ? (
        <p class="thinking">
          <span class="spinner" aria-hidden="true" /> {coming.looks.length === 0 ? 'Thinking…' : 'Looking…'}
        </p>
      ) : (
        <AnswerText text={coming.text} />
      )}
    </article>
  )
}

function AnswerPicture({ picture }: { picture: AssistantPicture }) {
  const [isGone, setGone] = useState(false)
  const { now } = useApp()
  const { print_id, printer_id } = picture
  const caption = withLocalTimes(picture.caption, now.value)
  const url = ownAddress(picture.url)
  const target = print_id ? `/prints/${print_id}` : printer_id ? `/printers/${printer_id}` : undefined
  const figure = (
    <figure class="answer-picture">
      {url === undefined || isGone ? (
        <span class="picture-gone">The picture is no longer there</span>
      ) : (
        <img src={url} alt={caption} loading="lazy" onError={() => setGone(true)} />
      )}
      <figcaption>{caption}</figcaption>
    </figure>
  )
  return target === undefined ? figure : <a href={target}>{figure}</a>
}

/** The address of a picture of this server; undefined for any other, which is not asked for. */
function ownAddress(url: string): string | undefined {
  if (!URL.canParse(url, location.origin)) return undefined
  const parsed = new URL(url, location.origin)
  return parsed.origin === location.origin && parsed.pathname.startsWith('/media/') ? parsed.href : undefined
}
