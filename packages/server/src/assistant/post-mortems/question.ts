import { withoutMarks } from '../tools/data-text.js'
import { durationWords } from './plain-words.js'
import type { Evidence, Moment } from './evidence.js'

// What a model is told of a print, and asked. Pure.

/** Moments have at most some hundred characters, and are few; this is never reached. */
const MAX_DATA = 60_000

/** The moments as JSON: whatever stands in a text stays within its quotes, and looks like no mark of a conversation. */
export function questionData({ moments, missing }: Evidence): string {
  const told = moments.map(({ number, seconds, kind, text }) => ({ number, time: clockWords(seconds), kind, text }))
  return withoutMarks(JSON.stringify({ moments: told, not_kept: missing }, null, 1)).slice(0, MAX_DATA)
}

/** The question, with what each picture that is sent along shows. */
export function questionText(pictured: readonly Pick<Moment, 'number' | 'seconds' | 'text'>[]): string {
  const asked = 'Why did this print fail?'
  if (pictured.length === 0) return `${asked} No pictures are sent.`
  const legend = pictured.map(({ number, seconds, text }, index) => {
    return `${index + 1}. moment [${number}], ${durationWords(seconds * 1000)} after the start: ${text}`
  })
  return `${asked} The ${pictured.length} pictures that are sent are, in this order:\n${legend.join('\n')}`
}

/** What is said to a model that did not answer in the form. */
export const AGAIN_FORM =
  'That is not of the form that was asked for. Answer again, with the one JSON object and nothing else.'

/** What is said to a model that cited nothing. */
export const AGAIN_CITING =
  'That cites no moment. Answer again, as the same JSON object, and put the number of the moment in brackets behind each claim, as [3].'

/** As `1:05:09`. */
function clockWords(seconds: number): string {
  const sign = seconds < 0 ? '-' : ''
  const whole = Math.abs(seconds)
  const part = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${sign}${Math.floor(whole / 3600)}:${part((whole % 3600) / 60)}:${part(whole % 60)}`
}
