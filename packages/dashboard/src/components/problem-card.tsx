import type { ComponentChildren } from 'preact'
import type { ProblemWords } from '../assistant/words.js'
import { Icon } from './icons.js'

/** Why there is no answer, and what to do about it. */
export function ProblemCard(props: {
  words: Pick<ProblemWords, 'title' | 'text' | 'settings'>
  isQuiet?: boolean
  children?: ComponentChildren
}) {
  const { title, text, settings } = props.words
  return (
    <div
      class={`problem ${props.isQuiet === true ? 'is-quiet' : ''}`}
      role={props.isQuiet === true ? undefined : 'alert'}
    >
      <Icon name="alert" />
      <div class="problem-words">
        <strong>{title}</strong>
        <p>{text}</p>
        {settings.length > 0 && (
          <ul>
            {settings.map((name) => (
              <li key={name}>
                <code>{name}</code>
              </li>
            ))}
          </ul>
        )}
        {props.children}
      </div>
    </div>
  )
}
