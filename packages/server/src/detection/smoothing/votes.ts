import { z } from 'zod'
import type { Place } from './smoothing-state.js'

// Votes of places: a failure stays where it is and grows, while a hand or the head that passes is elsewhere in every frame. Each
// place where something is found keeps a mean of how sure the findings there were, over time; only places that were confirmed
// several times have a say. Pure.

/** A place where something was found, and how sure the last frames were of it. */
export const Track = z.object({
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  /** The mean of the confidences found here; a frame without any counts as 0. */
  mean: z.number(),
  /** Frames that found something here. */
  hits: z.int().positive(),
  /** Milliseconds from the first of them to the last. */
  span: z.number().nonnegative(),
  /** Milliseconds since the last of them. */
  missing: z.number().nonnegative(),
})
export type Track = z.infer<typeof Track>

/** The mean looks back about this long. */
const MEAN_MS = 20_000
/** A place has a say once it was confirmed by so many frames over so long; over a minute, fewer are enough. Never one frame, nor two. */
const CONFIRMED = [
  { hits: 4, span: 12_000 },
  { hits: 3, span: 36_000 },
] as const
/** A place where nothing was found for this long begins anew. */
const MOST_MISSING_MS = 60_000
const MOST_TRACKS = 6
/** Of each frame only findings at least this sure, and this sure beside the best one, are votes. */
const LEAST_CONFIDENCE = 0.08
const LEAST_SHARE = 0.5
const MOST_PLACES = 4
/** Two boxes are one place when the smaller one lies in the other as far as this: a tangle grows. */
const SAME_PLACE = 0.4
/** A place's box follows its findings this far with each of them. */
const FOLLOW = 0.3
/** What has faded so far is forgotten. */
const FORGOTTEN = 0.02

type Box = Pick<Place, 'x' | 'y' | 'width' | 'height'>

/** How far the smaller of two boxes lies in the other, 0 to 1. */
function covered(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width / 2, b.x + b.width / 2) - Math.max(a.x - a.width / 2, b.x - b.width / 2)
  const height = Math.min(a.y + a.height / 2, b.y + b.height / 2) - Math.max(a.y - a.height / 2, b.y - b.height / 2)
  if (width <= 0 || height <= 0) return 0
  return Math.min(1, (width * height) / Math.min(a.width * a.height, b.width * b.height))
}

function moved(mean: number, target: number, ms: number): number {
  return target + (mean - target) * Math.exp(-ms / MEAN_MS)
}

function followed(track: Track, place: Place, ms: number): Track {
  const towards = (from: number, to: number): number => from + (to - from) * FOLLOW
  return {
    x: towards(track.x, place.x),
    y: towards(track.y, place.y),
    width: towards(track.width, place.width),
    height: towards(track.height, place.height),
    mean: moved(track.mean, place.confidence, ms),
    hits: track.hits + 1,
    span: track.span + track.missing + ms,
    missing: 0,
  }
}

function votesOf(places: readonly Place[]): Place[] {
  const best = Math.max(0, ...places.map(({ confidence }) => confidence))
  const least = Math.max(LEAST_CONFIDENCE, best * LEAST_SHARE)
  return places
    .filter(({ confidence, width, height }) => confidence >= least && width > 0 && height > 0)
    .sort((a, b) => b.confidence - a.confidence)
    .slice(0, MOST_PLACES)
}

/** The place that a track's thing is at in this frame: the surest of those that overlap it. */
function matchOf(track: Track, votes: readonly Place[]): Place | undefined {
  return votes.find((place) => covered(track, place) >= SAME_PLACE)
}

/** The tracks after a frame's findings; `ms` is the time that the frame stands for. */
export function vote(tracks: readonly Track[], places: readonly Place[], ms: number): Track[] {
  const votes = votesOf(places)
  const taken = new Set<Place>()
  const kept = tracks.map((track) => {
    const match = matchOf(track, votes)
    if (match === undefined) return { ...track, mean: moved(track.mean, 0, ms), missing: track.missing + ms }
    taken.add(match)
    return followed(track, match, ms)
  })
  const fresh = votes
    .filter((place) => !taken.has(place) && !kept.some((track) => covered(track, place) >= SAME_PLACE))
    .map(({ x, y, width, height, confidence }) => {
      return { x, y, width, height, mean: confidence, hits: 1, span: 0, missing: 0 }
    })
  return [...kept, ...fresh]
    .filter(({ mean, missing }) => mean >= FORGOTTEN && missing <= Math.max(MOST_MISSING_MS, ms))
    .sort((a, b) => b.mean - a.mean)
    .slice(0, MOST_TRACKS)
}

/** How sure the frames are of the place that they agree on most; 0 while they agree on none. */
export function agreed(tracks: readonly Track[]): number {
  const isConfirmed = (track: Track): boolean =>
    CONFIRMED.some(({ hits, span }) => track.hits >= hits && track.span >= span)
  return Math.max(0, ...tracks.filter(isConfirmed).map(({ mean }) => mean))
}
