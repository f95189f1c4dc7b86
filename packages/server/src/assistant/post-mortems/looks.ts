import type { AssistantLook } from '@printwarden/protocol'
import type { Evidence } from './evidence.js'
import { MAX_NAME } from './event-moments.js'
import { onOneLine } from './plain-words.js'
import type { PrintPast } from './print-past.js'

/** What is read for an answer, to be shown while the model thinks. */
export function looksOf({ print, scores, temperatures }: PrintPast, { moments }: Evidence, isSeen: boolean) {
  const name = onOneLine(print.filename, MAX_NAME)
  const of = name === '' ? 'of the print' : `of ${name}`
  const events = moments.filter(({ kind }) => kind === 'event').length
  const pictures = moments.filter(({ kind }) => kind === 'picture').length
  return [
    look('read_events', events, `events ${of}`),
    look('read_scores', scores.length, 'scores of pictures'),
    look('read_temperatures', temperatures.length, 'temperatures'),
    look('look_at_pictures', isSeen ? pictures : 0, 'pictures'),
  ].flat()
}

const look = (tool: string, count: number, what: string): AssistantLook[] =>
  count === 0 ? [] : [{ tool, about: `${count} ${what}` }]
