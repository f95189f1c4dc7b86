import type { AssistantMessage, Chat, PostMortem, SupportRequest } from '@printwarden/protocol'
import { MAX_CHATS, MAX_CHATS_PER_PAGE } from '@printwarden/protocol'
import { pageOf } from './fake-api.js'
import { fakeCredits } from './fake-credits.js'
import { callerOf, given, type Handlers, visible } from './fake-handlers.js'
import { FakeRefusal } from './fake-refusal.js'
import type { FakeState } from './fake-state.js'

const EMPTY = {
  machine_name: null,
  filament_name: null,
  print_process_name: null,
  slicing_settings_json: null,
  user_feedback: null,
  user_feedback_text: null,
}

const KNOWS_NOTHING = {
  cause: 'unknown',
  certainty: 'unclear' as const,
  answer: 'The fake knows nothing of this print.',
  advice: [],
  moments: [],
  missing: ['No picture is looked at.'],
  model: 'fake',
}

/** The assistant: it says the same to everybody, and counts what that costs. What it proposes to do is never anything. */
export function assistantHandlers(state: FakeState): Handlers {
  const chats = new Map<number, { readonly userId: number; chat: Chat }>()
  const postMortems = new Map<number, PostMortem>()
  const requests: SupportRequest[] = []
  const { creditsOf, entriesOf, take, write } = fakeCredits(state)

  /** Takes a credit, then answers. */
  function answer(userId: number, about: string, message: AssistantMessage): { message: AssistantMessage } {
    take(userId, about)
    return { message }
  }

  function change(entry: { chat: Chat }, changes: object): Chat {
    entry.chat = { ...entry.chat, ...changes, updated_at: state.now() }
    return entry.chat
  }

  function account(id: number): number {
    if (!state.users.has(id)) throw new FakeRefusal('not_found')
    return id
  }

  return {
    getAssistantMe(call) {
      const { id, username, email, first_name, last_name } = callerOf(call)
      return { user: { id, username, email, first_name, last_name }, ai_credits: creditsOf(id) }
    },
    listChats(call) {
      const own = [...chats.values()].filter(({ userId }) => userId === callerOf(call).id).toReversed()
      return pageOf(call, own, MAX_CHATS_PER_PAGE).map(({ chat }) => chat)
    },
    createChat(call) {
      const kept = [...chats.values()].filter(({ userId }) => userId === callerOf(call).id).length
      if (kept >= MAX_CHATS) throw new FakeRefusal('conflict')
      const id = state.nextId()
      const times = { created_at: state.now(), updated_at: state.now() }
      const chat: Chat = { ...EMPTY, ...given(call.body), messages: call.body.messages, id, ...times }
      chats.set(id, { userId: callerOf(call).id, chat })
      return chat
    },
    getChat: (call) => visible(call, chats.get(call.params.id)).chat,
    updateChat: (call) => change(visible(call, chats.get(call.params.id)), given(call.body)),
    replaceChat: (call) => change(visible(call, chats.get(call.params.id)), given(call.body)),
    deleteChat(call) {
      visible(call, chats.get(call.params.id))
      chats.delete(call.params.id)
    },
    sendChatMessage: (call) => {
      return answer(callerOf(call).id, 'chat', { role: 'assistant', content: 'The fake knows nothing of printing.' })
    },
    analysePlate: (call) => {
      const content = 'The fake sees nothing.'
      const suggested_printing_method = 'Print it slowly.'
      return answer(callerOf(call).id, 'plate', { role: 'assistant', content, suggested_printing_method })
    },
    createPostMortem(call) {
      if (!call.scopes.includes('read')) {
        throw new FakeRefusal('insufficient_scope', 'The token lacks the scope "read".')
      }
      const { summary } = visible(call, state.prints.get(call.params.id))
      if (summary.ended_at === null) throw new FakeRefusal('conflict', 'The print is not over.')
      take(callerOf(call).id, 'post_mortem')
      const postMortem = { print_id: summary.id, ...KNOWS_NOTHING, created_at: state.now() }
      postMortems.set(summary.id, postMortem)
      return postMortem
    },
    getPostMortem(call) {
      const postMortem = postMortems.get(visible(call, state.prints.get(call.params.id)).summary.id)
      if (postMortem === undefined) throw new FakeRefusal('not_found')
      return postMortem
    },
    listActionProposals: (call) => pageOf(call, [], 100),
    confirmActionProposal: () => Promise.reject(new FakeRefusal('not_found')),
    dismissActionProposal: () => Promise.reject(new FakeRefusal('not_found')),
    contactSupport(call) {
      const { id: user, email } = callerOf(call)
      const diagnostics = call.body.include_diagnostics === true ? '{}' : null
      const kept = { state: 'kept' as const, error: null, sent_at: null, created_at: state.now() }
      requests.unshift({ id: state.nextId(), user, email, message: call.body.message, diagnostics, ...kept })
      return { message: 'Your message was taken. Somebody will read it.' }
    },

    listSupportRequests(call) {
      const { start = 0, limit = 200 } = call.query
      call.reply.set('x-total-count', String(requests.length))
      return requests.slice(start, start + limit)
    },
    listAiCreditEntries(call) {
      const own = entriesOf(account(call.params.id))
      const { start = 0, limit = 200 } = call.query
      return own.slice(start, start + limit)
    },
    grantAiCredits(call) {
      const { amount, note = null } = call.body
      write(account(call.params.id), { kind: 'grant', free: 0, granted: amount, about: note })
      return creditsOf(call.params.id)
    },
    getAssistantStatus: () => ({ is_configured: true, text_model: 'fake', vision_model: 'fake', problem: null }),
  }
}
