import { type ReadonlySignal, signal } from '@preact/signals'
import type { AiCredits, Chat, Client } from '@printwarden/sdk'
import type { Notices } from '../notices.js'
import { type Conversation, openConversation } from './conversation.js'
import { openPostMortems, type PostMortemState } from './post-mortems.js'
import { openProposals, type Proposals } from './proposals.js'

/** What this tab knows of the assistant. Nothing is asked before a page needs it. */
export interface AssistantState {
  /** Whether the server has a model; undefined while that is not known. */
  readonly isConfigured: ReadonlySignal<boolean | undefined>
  readonly credits: ReadonlySignal<AiCredits | undefined>
  /** The chats that are kept, the last that was used first; undefined before they were read. */
  readonly chats: ReadonlySignal<readonly Chat[] | undefined>
  readonly proposals: Proposals
  /** Why a print failed. */
  postMortem(printId: number): PostMortemState
  /** The conversation that is not kept yet. */
  readonly fresh: ReadonlySignal<Conversation>
  /** The conversation that is kept under a number. */
  conversation(id: number): Conversation
  /** Begins another conversation. One that is still being answered goes on, and is then among the chats. */
  begin(): void
  /** Reads what may have changed: the setting, credits, chats and proposals. */
  refresh(): void
  /** Reads whether there is a model, and the credits. */
  refreshAccount(): void
  deleteChat(id: number): Promise<void>
}

const MOST_CHATS = 100

/** The assistant of the signed-in user. It answers in the language `lang`, an IETF tag. */
export function openAssistantState(client: Client, notices: Notices, lang: string): AssistantState {
  const isConfigured = signal<boolean | undefined>(undefined)
  const credits = signal<AiCredits | undefined>(undefined)
  const chats = signal<readonly Chat[] | undefined>(undefined)
  const proposals = openProposals(client, notices)
  const known = new Map<number, Conversation>()

  const deps = {
    client,
    lang,
    onAnswer: ({ proposals: proposed = [] }) => proposals.put(proposed),
    onKept: (conversation, error) => {
      if (error !== undefined) notices.complain('Could not keep the conversation', error)
      const id = conversation.id.value
      if (id !== undefined) known.set(id, conversation)
      readChats()
    },
    onSpent: () => readCredits(),
  } satisfies Parameters<typeof openConversation>[1]
  const postMortem = openPostMortems({ client, lang, onSpent: readCredits })
  const fresh = signal(openConversation(undefined, deps))

  function readChats(): void {
    client.listChats({ limit: MOST_CHATS }).then(
      (list) => {
        chats.value = list.toSorted((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at))
      },
      (error: unknown) => notices.complain('Could not load the conversations', error),
    )
  }

  function readCredits(): void {
    client.getAssistantMe().then(
      (me) => {
        credits.value = me.ai_credits
      },
      (error: unknown) => notices.complain('Could not load the credits', error),
    )
  }

  function refreshAccount(): void {
    void hasModel().then((answer) => {
      isConfigured.value = answer
    })
    readCredits()
  }

  return {
    ...{ isConfigured, credits, chats, proposals, fresh, postMortem },
    conversation(id) {
      const conversation = known.get(id) ?? openConversation(id, deps)
      known.set(id, conversation)
      return conversation
    },
    begin() {
      fresh.value = openConversation(undefined, deps)
    },
    refresh() {
      refreshAccount()
      readChats()
      proposals.refresh()
    },
    refreshAccount,
    async deleteChat(id) {
      // First: an answer that comes meanwhile has nowhere to be kept.
      known.get(id)?.drop()
      known.delete(id)
      await client.deleteChat({ id })
      chats.value = chats.value?.filter((chat) => chat.id !== id)
    },
  }
}

/** Whether the server has a model. A server that answers questions elsewhere does not say; then asking shows it. */
async function hasModel(): Promise<boolean> {
  try {
    const body: unknown = await (await fetch('/readyz')).json()
    return !(typeof body === 'object' && body !== null && 'assistant' in body && body.assistant === 'not_configured')
  } catch {
    return true
  }
}
