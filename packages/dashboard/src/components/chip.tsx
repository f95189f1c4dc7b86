import type { Words } from '../wording.js'

/** A few words on a coloured ground. The words say it all; the colour only helps. */
export function Chip({ words }: { words: Words }) {
  return (
    <span class={`chip tone-${words.tone}`}>
      <span class="chip-dot" aria-hidden="true" />
      {words.text}
    </span>
  )
}
