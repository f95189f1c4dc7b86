import { eventMoments, frameOfPrint } from './event-moments.js'
import type { ChosenPicture } from './picture-choice.js'
import type { DraftMoment, PrintPast } from './print-past.js'
import { scoreMoments } from './score-moments.js'
import { temperatureMoments } from './temperature-moments.js'

// From all that is kept of a print to the few moments that an answer may cite. Pure.

/** A moment with the number by which it is cited. */
export interface Moment<Picture = ChosenPicture> extends DraftMoment {
  readonly number: number
  /** Seconds since the print began. */
  readonly seconds: number
  readonly picture: Picture | null
}

/** What an answer is judged by. */
export interface Evidence<Picture = ChosenPicture> {
  /** In order of time, numbered from 1. */
  readonly moments: readonly Moment<Picture>[]
  /** What is not kept, in words. */
  readonly missing: readonly string[]
  /** Whether there is anything besides that the print started and ended. */
  readonly isEmpty: boolean
}

/** Numbers what happened in a print. `pictures` are those that there still are of the ones that were chosen. */
export function evidenceOf<Picture extends ChosenPicture>(
  past: PrintPast,
  pictures: readonly Picture[],
): Evidence<Picture> {
  const [start, end] = frameOfPrint(past)
  const found = [...eventMoments(past), ...scoreMoments(past.scores), ...temperatureMoments(past.temperatures)]
  const drafts = [start, ...found, end].map((draft) => ({ ...draft, picture: null }))
  const pictured = pictures.map((picture) => ({
    ...{ kind: 'picture' as const, at: picture.taken_at, text: picture.text },
    picture,
  }))
  const moments = [...drafts, ...pictured].toSorted((a, b) => a.at - b.at)
  return {
    moments: moments.map((moment, index) => ({
      ...moment,
      number: index + 1,
      seconds: Math.round((moment.at - past.print.started_at) / 1000),
    })),
    missing: missingOf(past, pictures.length),
    isEmpty: found.length === 0 && pictures.length === 0,
  }
}

function missingOf({ scores, temperatures, print }: PrintPast, pictures: number): string[] {
  return [
    ...(pictures === 0 ? ['No pictures of this print are kept.'] : []),
    ...(scores.length === 0 ? ['No picture of this print was looked at for failures.'] : []),
    ...(temperatures.length === 0 ? ['No temperatures of this print are kept.'] : []),
    ...(print.end_assumed === 0 ? [] : ['The printer did not say how the print ended.']),
  ]
}
