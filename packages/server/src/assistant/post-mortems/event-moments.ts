import { LastAction } from '@printwarden/protocol'
import { byWords } from '../../prints/last-action.js'
import { durationWords, onOneLine } from './plain-words.js'
import { type DraftMoment, endOf, type PastEvent, type PrintPast } from './print-past.js'

const MAX_EVENTS = 24
export const MAX_NAME = 120
const MAX_TITLE = 80
const MAX_TEXT = 300

/** How much a line matters when there are too many. */
const WEIGHTS: Readonly<Record<string, number>> = { ERROR: 2, WARNING: 1 }

/** Start and end, which every print has, with how it ended and who ended it. */
export function frameOfPrint(past: PrintPast): [start: DraftMoment, end: DraftMoment] {
  const { print } = past
  const name = onOneLine(print.filename, MAX_NAME)
  const start = name === '' ? 'The print started.' : `The print of the file "${name}" started.`
  return [
    { kind: 'event', at: print.started_at, text: start },
    { kind: 'event', at: endOf(past), text: endText(past) },
  ]
}

function endText(past: PrintPast): string {
  const { print } = past
  const said = [
    `The print ${outcomeWords(print)} after ${durationWords(endOf(past) - print.started_at)}.`,
    print.end_assumed === 0 ? '' : 'The printer did not say how it ended; this was concluded.',
    print.filament_used === null ? '' : `${Math.round(print.filament_used)} mm of filament were used.`,
    print.alert_overwrite === 'FAILED' ? 'Its user says that it had failed.' : '',
    print.alert_overwrite === 'NOT_FAILED' ? 'When warned, its user said that it was not failing.' : '',
  ]
  return said.filter((sentence) => sentence !== '').join(' ')
}

function outcomeWords({ state, last_action }: PrintPast['print']): string {
  if (state === 'finished') return 'was finished'
  if (state === 'failed') return 'failed, as the printer reported,'
  const action = last_action === null ? undefined : LastAction.safeParse(JSON.parse(last_action)).data
  if (action?.action !== 'cancelled') return 'was cancelled'
  return `was cancelled ${onOneLine(byWords(action), MAX_NAME)}`
}

/** Lines of the history about the print, the start and the end aside: of very many the gravest, and of those the last. */
export function eventMoments({ events }: Pick<PrintPast, 'events'>): DraftMoment[] {
  const told = events.filter(({ event_type }) => event_type !== 'STARTED' && event_type !== 'ENDED')
  const weighty = told.toSorted((a, b) => weightOf(b) - weightOf(a) || b.created_at - a.created_at)
  return weighty.slice(0, MAX_EVENTS).map((event) => ({ kind: 'event', at: event.created_at, text: lineOf(event) }))
}

/** Whether a line tells of something that went wrong, besides what pictures showed. */
export const isTrouble = ({ event_type, event_class }: PastEvent): boolean =>
  event_class === 'ERROR' && event_type !== 'FAILURE_ALERTED'

const weightOf = ({ event_class }: PastEvent): number => WEIGHTS[event_class] ?? 0

function lineOf({ event_title, event_text }: PastEvent): string {
  const title = onOneLine(event_title ?? '', MAX_TITLE)
  const text = onOneLine(event_text ?? '', MAX_TEXT)
  if (title === '' || text === '') return title + text
  return `${title}: ${text}`
}
