import type { PostMortem, Print } from '@printwarden/sdk'
import { useEffect } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { useProblemWords } from '../../assistant/use-assistant.js'
import { citedParts } from '../../assistant/words.js'
import { Chip } from '../../components/chip.js'
import { LookList } from '../../components/look-list.js'
import { ProblemCard } from '../../components/problem-card.js'
import { Moment } from '../../components/when.js'
import { secondsOf } from '../../format.js'
import type { Words } from '../../wording.js'
import { MomentList, showMoment } from './moment-list.js'

/** Why a print failed: the answer that is kept, the one that is being made, or the place to ask. */
export function PostMortemPanel(props: {
  print: Print
  hasFailed: boolean
  /** Shows a moment (Unix seconds) in the time-lapse; undefined where that cannot be. */
  onShow: ((ts: number) => void) | undefined
}) {
  const { print, hasFailed } = props
  const { assistant } = useApp()
  const state = assistant.postMortem(print.id)
  const kept = state.kept.value
  const looks = state.looks.value

  useEffect(() => {
    assistant.refreshAccount()
    state.load()
  }, [print.id])

  if (kept === undefined && state.problem.value === undefined) return null
  const isEmpty = kept == null && looks === undefined
  // Nothing needs an explanation, and nobody could give one.
  if (isEmpty && !hasFailed && assistant.isConfigured.value !== true) return null
  return (
    <section class={`panel post-mortem ${hasFailed ? '' : 'is-quiet'}`}>
      <div class="panel-head">
        <h2>{hasFailed ? 'Why did this print fail?' : 'Did something go wrong?'}</h2>
        {!isEmpty && looks === undefined && <AskButton printId={print.id} label="Ask again" />}
      </div>
      {looks !== undefined && (
        <div class="post-mortem-coming">
          <p class="thinking" role="status">
            <span class="spinner" aria-hidden="true" /> The assistant looks at what was kept of this print…
          </p>
          <LookList looks={looks} />
          <button type="button" class="button small" onClick={() => state.stop()}>
            Stop
          </button>
        </div>
      )}
      <Problem printId={print.id} />
      {kept != null && <Verdict found={kept} isOld={looks !== undefined} onShow={props.onShow} />}
      {isEmpty && <Invitation printId={print.id} hasFailed={hasFailed} />}
    </section>
  )
}

function Invitation({ printId, hasFailed }: { printId: number; hasFailed: boolean }) {
  const { assistant, user } = useApp()
  if (assistant.isConfigured.value === false)
    return (
      <p class="hint">
        The assistant could say, but it has no model.{' '}
        {user.is_admin ? 'docs/assistant.md says how to give it one.' : 'Whoever runs this server can give it one.'}
      </p>
    )
  return (
    <div class="post-mortem-ask">
      <p class="quiet">
        The assistant looks at the pictures, scores, temperatures and events that were kept of this print
        {hasFailed ? ', and says what likely happened and what to do before the next.' : '.'}
      </p>
      <AskButton printId={printId} label="Ask the assistant" isPrimary={hasFailed} />
    </div>
  )
}

function AskButton({ printId, label, isPrimary = false }: { printId: number; label: string; isPrimary?: boolean }) {
  const { assistant } = useApp()
  if (assistant.isConfigured.value === false) return null
  const isCounted = (assistant.credits.value?.ai_credit_free_monthly_quota ?? -1) >= 0
  return (
    <button
      type="button"
      class={`button ${isPrimary ? 'primary' : 'small'}`}
      onClick={() => assistant.postMortem(printId).ask()}
    >
      {label}
      {isCounted && ' (1 credit)'}
    </button>
  )
}

function Problem({ printId }: { printId: number }) {
  const wordsOf = useProblemWords()
  const error = useApp().assistant.postMortem(printId).problem.value
  return error === undefined ? null : <ProblemCard words={wordsOf(error)} />
}

const CERTAINTY: Readonly<Record<PostMortem['certainty'], Words>> = {
  likely: { text: 'Likely', tone: 'active' },
  possible: { text: 'Possible', tone: 'warning' },
  unclear: { text: 'Unclear', tone: 'neutral' },
}

function Verdict(props: { found: PostMortem; isOld: boolean; onShow: ((ts: number) => void) | undefined }) {
  const { found } = props
  const numbers = new Set(found.moments.map(({ number }) => number))
  const paragraphs = found.answer.split(/\n\s*\n/).filter((text) => text.trim() !== '')
  return (
    <div class={`verdict ${props.isOld ? 'is-old' : ''}`} aria-live="polite">
      <p class="verdict-cause">
        {found.cause} <Chip words={CERTAINTY[found.certainty]} />
      </p>
      <div class="answer-text">
        {paragraphs.map((text, index) => (
          <p key={index}>
            <Cited text={text} numbers={numbers} />
          </p>
        ))}
      </div>
      <MomentList moments={found.moments} onShow={props.onShow} />
      {found.advice.length > 0 && (
        <div class="verdict-part">
          <h3>Before the next print</h3>
          <ul class="advice">
            {found.advice.map((advice, index) => (
              <li key={index}>
                <Cited text={advice} numbers={numbers} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {found.missing.length > 0 && (
        <div class="verdict-part hint">
          <h3>What was missing to judge by</h3>
          <ul>
            {found.missing.map((missing) => (
              <li key={missing}>{missing}</li>
            ))}
          </ul>
        </div>
      )}
      <p class="hint">
        By the model {found.model}, <Moment ts={secondsOf(found.created_at)} />. It can be wrong; what it cites is what
        the server has recorded.
      </p>
    </div>
  )
}

/** Text in which each number of a moment leads to it. */
function Cited({ text, numbers }: { text: string; numbers: ReadonlySet<number> }) {
  return citedParts(text, numbers).map((part, index) =>
    typeof part === 'string' ? part : <Citation key={index} number={part} />,
  )
}

function Citation({ number }: { number: number }) {
  return (
    <a
      class="citation"
      href={`#moment-${number}`}
      aria-label={`Moment ${number}`}
      onClick={(event) => {
        event.preventDefault()
        showMoment(number)
      }}
    >
      {number}
    </a>
  )
}
