import { isTrouble } from './event-moments.js'
import { endOf, type PastPicture, type PrintPast } from './print-past.js'
import { type Rise, risesOf } from './score-moments.js'

/** A picture that matters, and why. */
export interface ChosenPicture extends PastPicture {
  readonly text: string
}

export const MAX_PICTURES = 8
/** Pictures as near to each other show the same. */
const SAME_MS = 5_000
/** The picture from before a rise is at least this much older. */
const BEFORE_MS = 30_000
/** The first layer is seen about then: after a share of the print, within limits. */
const FIRST_LAYER_SHARE = 0.05
const FIRST_LAYER_MS = { least: 120_000, most: 900_000 }

/**
 * The few pictures of a print that a model is shown, in order of time: those around what matters first, then some from in between.
 */
export function choosePictures(past: PrintPast): ChosenPicture[] {
  const chosen: ChosenPicture[] = []
  for (const { picture, text } of wishesOf(past)) {
    if (chosen.length === MAX_PICTURES) break
    const isNew = chosen.every(({ taken_at }) => Math.abs(taken_at - picture.taken_at) >= SAME_MS)
    if (isNew) chosen.push({ ...picture, text })
  }
  return chosen.toSorted((a, b) => a.taken_at - b.taken_at)
}

interface Wish {
  readonly picture: PastPicture
  readonly text: string
}

/** What is wanted, the most important first. */
function wishesOf(past: PrintPast): Wish[] {
  const { pictures, events, print } = past
  const endedAt = endOf(past)
  const lengthMs = endedAt - print.started_at
  const firstLayerMs = Math.min(
    FIRST_LAYER_MS.most,
    Math.max(FIRST_LAYER_MS.least, lengthMs * FIRST_LAYER_SHARE),
    lengthMs,
  )
  const wish = (picture: PastPicture | undefined, text: string): Wish[] =>
    picture === undefined ? [] : [{ picture, text }]
  const [worst, ...others] = risesOf(past.scores)
  const alerts = alertPictures(past).map((picture) => ({ picture, text: 'Picture that a failure was alerted by.' }))
  const aroundRise = (rise: Rise): Wish[] => [
    ...wish(nearest(pictures, rise.peakAt), 'Picture when the failure score was at its highest.'),
    ...wish(lastBefore(pictures, rise.startedAt - BEFORE_MS), 'Picture from before the failure score rose.'),
    ...wish(nearest(pictures, rise.startedAt), 'Picture when the failure score rose.'),
  ]
  const troubles = events.filter(isTrouble).slice(0, 2)
  const pause = events.find(({ event_type }) => event_type === 'PAUSED')
  return [
    ...alerts.slice(0, 1),
    ...wish(lastBefore(pictures, Infinity), 'The last picture that is kept.'),
    ...(worst === undefined ? [] : aroundRise(worst)),
    ...wish(nearest(pictures, print.started_at + firstLayerMs), 'Picture from the first layers.'),
    ...troubles.flatMap(({ created_at }) => wish(nearest(pictures, created_at), 'Picture when an error was reported.')),
    ...alerts.slice(1),
    ...(pause === undefined ? [] : wish(nearest(pictures, pause.created_at), 'Picture when the print was paused.')),
    ...others.flatMap(aroundRise),
    ...[0.5, 0.75, 0.25, 0.9].flatMap((share) =>
      wish(nearest(pictures, print.started_at + lengthMs * share), 'Picture from the middle of the print.'),
    ),
  ]
}

/** The pictures of the last alert and of the first. */
function alertPictures({ alerts, pictures }: PrintPast): PastPicture[] {
  const told = alerts.length < 2 ? alerts : [alerts.at(-1), alerts[0]]
  return told.flatMap((alert) => {
    if (alert === undefined) return []
    const { key, frame_at: taken_at } = alert
    const own = key === null ? nearest(pictures, taken_at) : { key, taken_at, isUpright: false }
    return own === undefined ? [] : [own]
  })
}

function nearest(pictures: readonly PastPicture[], at: number): PastPicture | undefined {
  const before = lastBefore(pictures, at)
  const after = pictures[before === undefined ? 0 : pictures.lastIndexOf(before) + 1]
  if (before === undefined || after === undefined) return before ?? after
  return after.taken_at - at < at - before.taken_at ? after : before
}

const lastBefore = (pictures: readonly PastPicture[], at: number): PastPicture | undefined =>
  pictures.findLast(({ taken_at }) => taken_at <= at)
