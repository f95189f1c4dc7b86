import type { Sight } from './motion.js'

/** A print that is watched by its picture. */
export interface Watched {
  /** What it is called, since nobody knows its file. */
  readonly name: string
  readonly startedBy: 'person' | 'motion'
  /** Unix time in milliseconds. */
  readonly sinceWallMs: number
  /** Whether anything has moved since. */
  readonly hasMoved: boolean
}

/** What is known of a printer that only its camera tells of. */
export interface Watch {
  readonly watched: Watched | null
  /** How the last one ended; null before the first. */
  readonly outcome: WatchOutcome | null
  /** How long things have moved of late: rises while they do, falls twice as fast while they do not. */
  readonly movingMs: number
  /** How long nothing has moved. */
  readonly stillMs: number
  /** Somebody stopped the watching of a printer that goes on: nothing starts by itself before it has stood still. */
  readonly isHeld: boolean
}

/** Nobody sees from a picture whether a print has gone well; that it was cancelled only a person can say. */
export type WatchOutcome = 'done' | 'cancelled'

export interface WatchSettings {
  /** Whether motion starts and ends it. */
  readonly motion: boolean
  readonly motionMs: number
  readonly quietMs: number
}

export type WatchInput =
  | { readonly type: 'start'; readonly name: string; readonly wallMs: number }
  | { readonly type: 'stop'; readonly outcome: WatchOutcome }
  /** What was seen over the last `ms`. */
  | { readonly type: 'sight'; readonly sight: Sight; readonly ms: number; readonly wallMs: number }

export type WatchEvent = 'started' | WatchOutcome

export interface WatchStep {
  readonly watch: Watch
  readonly events: readonly WatchEvent[]
}

export const NEW_WATCH: Watch = { watched: null, outcome: null, movingMs: 0, stillMs: 0, isHeld: false }

/** The name of a print that motion has started. */
export const UNNAMED = 'Watched by picture'

/** Follows what a person says and what the camera sees. */
export function stepWatch(before: Watch, input: WatchInput, settings: WatchSettings): WatchStep {
  switch (input.type) {
    case 'start':
      return start(before, { name: input.name, startedBy: 'person', sinceWallMs: input.wallMs })
    case 'stop':
      return before.watched ? end({ ...before, isHeld: true }, input.outcome) : { watch: before, events: [] }
    case 'sight':
      return settings.motion ? see(before, input, settings) : { watch: before, events: [] }
  }
}

function start(before: Watch, how: Omit<Watched, 'hasMoved'>): WatchStep {
  const ended = before.watched ? end(before, 'done') : { watch: before, events: [] }
  const hasMoved = how.startedBy === 'motion'
  const watch: Watch = { ...ended.watch, watched: { ...how, hasMoved }, stillMs: 0, isHeld: false, outcome: null }
  return { watch, events: [...ended.events, 'started'] }
}

function end(before: Watch, outcome: WatchOutcome): WatchStep {
  return { watch: { ...before, watched: null, outcome, movingMs: 0, stillMs: 0 }, events: [outcome] }
}

function see(before: Watch, { sight, ms, wallMs }: WatchInput & { type: 'sight' }, settings: WatchSettings): WatchStep {
  // Of what cannot be seen nothing is believed: neither that it moves nor that it stands still.
  if (sight === 'unclear') return { watch: before, events: [] }
  const seen = sight === 'moving' ? moved(before, ms) : stood(before, ms)
  const { watched } = seen
  if (watched) {
    // One that a person has started may heat up for long before anything moves.
    const isOver = watched.hasMoved && seen.stillMs >= settings.quietMs
    return isOver ? end(seen, 'done') : { watch: seen, events: [] }
  }
  if (seen.isHeld) return { watch: { ...seen, isHeld: seen.stillMs < settings.quietMs, movingMs: 0 }, events: [] }
  if (seen.movingMs < settings.motionMs) return { watch: seen, events: [] }
  return start(seen, { name: UNNAMED, startedBy: 'motion', sinceWallMs: wallMs })
}

function moved(before: Watch, ms: number): Watch {
  const watched = before.watched && { ...before.watched, hasMoved: true }
  return { ...before, watched, movingMs: before.movingMs + ms, stillMs: 0 }
}

function stood(before: Watch, ms: number): Watch {
  return { ...before, movingMs: Math.max(0, before.movingMs - 2 * ms), stillMs: before.stillMs + ms }
}
