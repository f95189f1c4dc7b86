import type { AssistantLook, AssistantMessage, AssistantPicture, Chat, ChatTurn } from '@printwarden/sdk'

/** What was asked, or answered. */
export type Turn = { readonly role: 'user'; readonly content: string } | AnswerTurn

/** An answer with what belongs to it. */
export interface AnswerTurn {
  readonly role: 'assistant'
  readonly content: string
  readonly looked_at: readonly AssistantLook[]
  readonly pictures: readonly AssistantPicture[]
  /** The numbers of what it proposed. What that is and how it stands, only the server says. */
  readonly proposals: readonly number[]
  /** Whether the user stopped it before it was whole. */
  readonly is_stopped: boolean
}

/** How many characters a server keeps of one chat, less some to spare, and how much of it is sent with a question. */
const MOST_KEPT = 190_000
const MOST_SENT = 60_000
const MOST_TURNS_SENT = 60

/** An answer as it came. */
export function answerTurn(message: AssistantMessage): AnswerTurn {
  const { content, looked_at = [], pictures = [], proposals = [] } = message
  return {
    role: 'assistant',
    content,
    looked_at,
    pictures,
    proposals: proposals.map(({ id }) => id),
    is_stopped: false,
  }
}

/** An answer that was stopped, as far as it came. */
export function stoppedTurn(content: string, looked_at: readonly AssistantLook[]): AnswerTurn {
  return { role: 'assistant', content, looked_at, pictures: [], proposals: [], is_stopped: true }
}

/** The conversation as a model is sent it: its newest turns, as many as there is room for, beginning with a question. */
export function sentTurns(turns: readonly Turn[]): ChatTurn[] {
  let length = 0
  const from = turns.findLastIndex((turn) => (length += turn.content.length) > MOST_SENT)
  // The last question goes along however long it is.
  const recent = turns.slice(Math.min(turns.length - 1, Math.max(from + 1, turns.length - MOST_TURNS_SENT)))
  const begin = recent.findIndex(({ role }) => role === 'user')
  return recent
    .slice(Math.max(0, begin))
    .filter(({ content }) => content !== '')
    .map(({ role, content }) => ({ role, content }))
}

/** A conversation as it is kept. What has no room any more is forgotten from the beginning. */
export function keptTurns(turns: readonly Turn[]): string {
  for (let from = 0; from < turns.length; from += 1) {
    const text = JSON.stringify(turns.slice(from))
    if (text.length <= MOST_KEPT) return text
  }
  return '[]'
}

/** A kept conversation; undefined when another program kept it in a form of its own. */
export function readTurns(chat: Pick<Chat, 'messages'>): Turn[] | undefined {
  const parsed = parsedOf(chat.messages)
  if (!Array.isArray(parsed)) return undefined
  const turns = parsed.map(readTurn)
  return turns.every((turn) => turn !== undefined) ? turns : undefined
}

/** Whether a chat was begun here. Chats of slicers are shown, and go on there. */
export function isOurs(chat: Chat): boolean {
  const fields = [chat.machine_name, chat.filament_name, chat.print_process_name, chat.slicing_settings_json]
  return fields.every((field) => field === null || field === '') && readTurns(chat) !== undefined
}

const MOST_TITLE = 80

/** What a chat is called in the list: the beginning of its first question. */
export function chatTitle(chat: Pick<Chat, 'messages'>): string {
  const first = readTurns(chat)
    ?.find(({ role }) => role === 'user')
    ?.content.trim()
    .replaceAll(/\s+/g, ' ')
  if (first === undefined || first === '') return 'Conversation'
  return first.length > MOST_TITLE ? `${first.slice(0, MOST_TITLE - 1)}…` : first
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readTurn(value: unknown): Turn | undefined {
  if (!isRecord(value) || typeof value['content'] !== 'string') return undefined
  const { role, content } = value
  if (role === 'user') return { role, content }
  if (role !== 'assistant') return undefined
  return {
    role,
    content,
    looked_at: listOf(value['looked_at'], isLook),
    pictures: listOf(value['pictures'], isPicture),
    proposals: listOf(value['proposals'], isProposal),
    is_stopped: value['is_stopped'] === true,
  }
}

const listOf = <Item>(value: unknown, isItem: (item: unknown) => item is Item): Item[] =>
  Array.isArray(value) ? value.filter(isItem) : []

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether something is a look, as it comes in a stream or was kept. */
export const isLook = (value: unknown): value is AssistantLook =>
  isRecord(value) && typeof value['tool'] === 'string' && typeof value['about'] === 'string'

const isPicture = (value: unknown): value is AssistantPicture =>
  isRecord(value) && typeof value['url'] === 'string' && typeof value['caption'] === 'string'

const isProposal = (value: unknown): value is number => typeof value === 'number'
