import type { AssistantAnswer } from '@printwarden/protocol'
import type { z } from 'zod'

/** Whether a caller takes an answer as events. */
export const wantsEvents = (accept: string | null): boolean =>
  (accept ?? '').split(',').some((type) => type.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream')

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** The events that the answer of an operation is made of, as text; undefined where an answer does not come as events. */
export function eventsOf(operation: string, answer: unknown): string | undefined {
  if (operation === 'sendChatMessage') return assistantEvents(answer as z.input<typeof AssistantAnswer>)
  return operation === 'createPostMortem' ? event('message', answer) : undefined
}

/** What was looked at, then the text word by word, then the whole. */
function assistantEvents(answer: z.input<typeof AssistantAnswer>): string {
  const { content, looked_at = [] } = answer.message
  const looks = looked_at.map((look) => event('look', look))
  const words = content.match(/\s*\S+\s*$|\s*\S+/g) ?? []
  return [...looks, ...words.map((text) => event('delta', { text })), event('message', answer)].join('')
}
