import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Conversation } from '../../assistant/conversation.js'
import { isSendKey } from '../../assistant/send-key.js'
import { Icon } from '../../components/icons.js'

const MOST_CHARACTERS = 20_000

/** Where questions are written. Enter sends, Shift and Enter begin a new line. */
export function Composer({
  conversation,
  input,
}: {
  conversation: Conversation
  input: RefObject<HTMLTextAreaElement | null>
}) {
  const [text, setText] = useState('')
  const isComing = conversation.coming.value !== undefined

  useLayoutEffect(() => {
    const area = input.current
    if (area === null) return
    area.style.height = 'auto'
    area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`
  }, [text])

  if (!conversation.canGoOn.value) return <p class="hint">A slicer keeps this conversation, and it goes on there.</p>

  const send = () => {
    const question = text.trim()
    if (question === '' || !conversation.ask(question)) return
    setText('')
    input.current?.focus()
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div class="composer-field">
        <textarea
          ref={input}
          rows={1}
          maxLength={MOST_CHARACTERS}
          aria-label="Your question"
          placeholder="Ask about your printing"
          enterkeyhint="send"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (!isSendKey(event)) return
            event.preventDefault()
            send()
          }}
        />
        {isComing ? (
          <button
            key="stop"
            type="button"
            class="button stop"
            onClick={() => {
              conversation.stop()
              input.current?.focus()
            }}
          >
            <Icon name="stop" /> Stop
          </button>
        ) : (
          <button key="send" type="submit" class="button primary send" aria-label="Send" disabled={text.trim() === ''}>
            <Icon name="send" />
          </button>
        )}
      </div>
      <p class="hint">Answers come from a language model and can be wrong. Nothing is done without your word.</p>
    </form>
  )
}
