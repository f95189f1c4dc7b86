import type { AiCreditEntry, AiCredits, AssistantMessage, Chat, SupportRequest } from '@printwarden/protocol'
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

const UNLIMITED = -1

/** The assistant: it says the same to everybody, and counts what that costs. */
export function assistantHandlers(state: FakeState): Handlers {
  const chats = new Map<number, { readonly userId: number; chat: Chat }>()
  const entries: { readonly userId: number; readonly entry: AiCreditEntry }[] = []
  const requests: SupportRequest[] = []
  const sumOf = (userId: number, kind: 'free' | 'granted'): number =>
    entries.filter((one) => one.userId === userId).reduce((sum, { entry }) => sum + entry[kind], 0)
  const quotaOf = (userId: number): number => state.aiQuotas.get(userId) ?? UNLIMITED

  function credits(userId: number): AiCredits {
    const created_at = state.users.get(userId)?.date_joined ?? state.now()
    return {
      user: userId,
      ai_credit_free_monthly_quota: quotaOf(userId),
      ai_credit_used_current_month: -sumOf(userId, 'free'),
      ai_credit_granted: sumOf(userId, 'granted'),
      created_at,
      updated_at: created_at,
    }
  }

  function write(userId: number, entry: Omit<AiCreditEntry, 'id' | 'created_at'>): void {
    entries.unshift({ userId, entry: { ...entry, id: state.nextId(), created_at: state.now() } })
  }

  /** Takes a credit, then answers. */
  function answer(userId: number, about: string, message: AssistantMessage): { message: AssistantMessage } {
    const { ai_credit_used_current_month: used, ai_credit_granted: granted } = credits(userId)
    const quota = quotaOf(userId)
    if (quota !== UNLIMITED && used >= quota && granted === 0) throw new FakeRefusal('credits_exhausted')
    const taken = used < quota ? { free: -1, granted: 0 } : { free: 0, granted: -1 }
    if (quota !== UNLIMITED) write(userId, { kind: 'debit', ...taken, about })
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
      return { user: { id, username, email, first_name, last_name }, ai_credits: credits(id) }
    },
    listChats(call) {
      const own = [...chats.values()].filter(({ userId }) => userId === callerOf(call).id).toReversed()
      const { start = 0, limit = 100 } = call.query
      call.reply.set('x-total-count', String(own.length))
      return own.slice(start, start + limit).map(({ chat }) => chat)
    },
    createChat(call) {
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
      const own = entries.filter(({ userId }) => userId === account(call.params.id))
      const { start = 0, limit = 200 } = call.query
      return own.slice(start, start + limit).map(({ entry }) => entry)
    },
    grantAiCredits(call) {
      const { amount, note = null } = call.body
      write(account(call.params.id), { kind: 'grant', free: 0, granted: amount, about: note })
      return credits(call.params.id)
    },
    getAssistantStatus: () => ({ is_configured: true, text_model: 'fake', vision_model: 'fake', problem: null }),
  }
}
