import type { Chat } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { chatTitle, isOurs } from '../../assistant/turns.js'
import { ConfirmDialog } from '../../components/dialog.js'
import { Icon } from '../../components/icons.js'
import { useAction } from '../../components/use-action.js'
import { Ago } from '../../components/when.js'
import { secondsOf } from '../../format.js'

/** The kept conversations, and the way to a new one. On a narrow page they are folded away. */
export function ChatList({ openId, onBegin }: { openId: number | undefined; onBegin: () => void }) {
  const { assistant } = useApp()
  const [isOpen, setOpen] = useState(false)
  const chats = assistant.chats.value
  const count = chats?.length ?? 0
  return (
    <nav class={`chats ${isOpen ? 'is-open' : ''}`} aria-label="Conversations">
      <div class="chats-head">
        {assistant.isConfigured.value !== false && (
          <button type="button" class="button" onClick={onBegin}>
            <Icon name="plus" /> New conversation
          </button>
        )}
        {count > 0 && (
          <button
            type="button"
            class="button chats-fold"
            aria-expanded={isOpen}
            aria-controls="chats"
            onClick={() => setOpen(!isOpen)}
          >
            Earlier ({count})
          </button>
        )}
      </div>
      <ul id="chats">
        {chats?.map((chat) => (
          <ChatLine key={chat.id} chat={chat} isOpen={chat.id === openId} onLeave={() => setOpen(false)} />
        ))}
      </ul>
    </nav>
  )
}

function ChatLine({ chat, isOpen, onLeave }: { chat: Chat; isOpen: boolean; onLeave: () => void }) {
  const { assistant, navigation } = useApp()
  const { run } = useAction()
  const [isAsking, setAsking] = useState(false)
  const title = chatTitle(chat)
  const remove = () => {
    // A page of what is deleted would look for it.
    if (isOpen) navigation.go('/assistant/')
    run('Could not delete the conversation', () => assistant.deleteChat(chat.id))
  }
  return (
    <li class="chat-line">
      <a href={`/assistant/${chat.id}/`} aria-current={isOpen ? 'page' : undefined} onClick={onLeave}>
        <span class="chat-title">{title}</span>
        <span class="hint">
          <Ago ts={secondsOf(chat.updated_at)} />
          {!isOurs(chat) && ' · of a slicer'}
        </span>
      </a>
      <button type="button" class="icon-button" aria-label={`Delete “${title}”`} onClick={() => setAsking(true)}>
        <Icon name="trash" />
      </button>
      {isAsking && (
        <ConfirmDialog
          title="Delete this conversation?"
          text={`“${title}” is deleted for good.`}
          confirm="Delete"
          dismiss="Keep it"
          onConfirm={remove}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  )
}
