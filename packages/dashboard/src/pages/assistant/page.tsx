import { useEffect, useRef } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { chatTitle } from '../../assistant/turns.js'
import { creditsWords } from '../../assistant/words.js'
import { usePageTitle } from '../../components/page-title.js'
import { ChatList } from './chat-list.js'
import { ConversationView } from './conversation-view.js'

/** The assistant: the conversation at hand, and those that are kept. */
export function AssistantPage({ id }: { id: number | undefined }) {
  const { assistant, navigation } = useApp()
  const fresh = assistant.fresh.value
  const conversation = id === undefined ? fresh : assistant.conversation(id)
  const keptAs = fresh.id.value
  const input = useRef<HTMLTextAreaElement>(null)
  const chat = assistant.chats.value?.find((one) => one.id === id)
  usePageTitle(chat === undefined ? 'Assistant' : chatTitle(chat))

  useEffect(() => assistant.refresh(), [])
  useEffect(() => conversation.load(), [conversation])
  useEffect(() => {
    // The new conversation has been kept: from now on it has an address.
    if (id !== undefined || keptAs === undefined) return
    navigation.rename(`/assistant/${keptAs}/`)
    assistant.begin()
  }, [id, keptAs])

  const begin = () => {
    assistant.begin()
    navigation.go('/assistant/')
    // Once the page has taken the step.
    setTimeout(() => input.current?.focus())
  }
  return (
    <>
      <div class="page-head">
        <h1>Assistant</h1>
        <Credits />
      </div>
      <div class="assistant-page">
        <ChatList openId={id} onBegin={begin} />
        <ConversationView key={conversation} conversation={conversation} input={input} />
      </div>
    </>
  )
}

function Credits() {
  const credits = useApp().assistant.credits.value
  const words = credits && creditsWords(credits)
  return words === undefined ? null : <span class="credits">{words}</span>
}
