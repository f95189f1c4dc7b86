import { expect, test } from 'vitest'
import { voting } from '../frame.js'
import type { Place } from './smoothing-state.js'
import { agreed, type Track, vote } from './votes.js'

const TANGLE: Place = { confidence: 0.9, x: 300, y: 200, width: 80, height: 60 }

/** The tracks after these frames, `seconds` apart. */
function run(frames: readonly (readonly Place[])[], seconds = 10): Track[] {
  let tracks: Track[] = []
  for (const places of frames) tracks = vote(tracks, places, seconds * 1000)
  return tracks
}

function times(count: number, places: readonly Place[]): (readonly Place[])[] {
  return Array<readonly Place[]>(count).fill(places)
}

test.each([
  { interval: 2, frames: 7 },
  { interval: 5, frames: 4 },
  { interval: 10, frames: 4 },
  { interval: 30, frames: 3 },
  { interval: 120, frames: 3 },
])('every $interval s, a place has a say from its frame $frames on', ({ interval, frames }) => {
  expect(agreed(run(times(frames - 1, [TANGLE]), interval))).toBe(0)
  expect(agreed(run(times(frames, [TANGLE]), interval))).toBeCloseTo(0.9, 6)
})

test('a hand, elsewhere in every frame, never has a say', () => {
  const hand = Array.from({ length: 30 }, (_, i) => [
    { ...TANGLE, x: 100 + (i % 5) * 120, y: 80 + ((i * 7) % 4) * 110 },
  ])
  for (let count = 1; count <= hand.length; count++) {
    expect(agreed(run(hand.slice(0, count), 10))).toBeLessThan(0.25)
  }
})

test('a tangle that grows and trembles is one place', () => {
  const growing = Array.from({ length: 12 }, (_, i) => [
    { ...TANGLE, x: 300 + (i % 3) * 8, y: 200 - (i % 2) * 10, width: 40 + i * 12, height: 30 + i * 9 },
  ])
  const tracks = run(growing)
  expect(tracks).toHaveLength(1)
  expect(tracks[0]?.hits).toBe(12)
  expect(agreed(tracks)).toBeCloseTo(0.9, 6)
})

test('what is gone fades, and begins anew when it comes back after a minute', () => {
  const seen = times(6, [TANGLE])
  expect(agreed(run([...seen, ...times(3, [])]))).toBeLessThan(0.3)
  const again = run([...seen, ...times(8, []), [TANGLE]])
  expect(again.map(({ hits }) => hits)).toEqual([1])
})

test('a frame in which it was not found does not break it', () => {
  const tracks = run([...times(4, [TANGLE]), [], ...times(3, [TANGLE])])
  expect(tracks[0]?.hits).toBe(7)
  expect(agreed(tracks)).toBeGreaterThan(0.75)
})

test('two places are kept apart, and the surer one counts', () => {
  const weak = { ...TANGLE, confidence: 0.5, x: 500 }
  const tracks = run(times(5, [TANGLE, weak]))
  expect(tracks.map(({ mean }) => Math.round(mean * 100))).toEqual([90, 50])
  expect(agreed(tracks)).toBeCloseTo(0.9, 6)
})

test('what is kept stays small, whatever the findings', () => {
  const many = Array.from({ length: 40 }, (_, frame) =>
    Array.from({ length: 50 }, (__, i) => ({
      ...TANGLE,
      confidence: 0.5 + (i % 9) / 20,
      x: frame * 31 + i * 90,
      y: i * 40,
    })),
  )
  expect(run(many).length).toBeLessThanOrEqual(6)
})

test('boxes without an area and findings below the floor are no votes', () => {
  expect(
    run(
      times(9, [
        { ...TANGLE, width: 0 },
        { ...TANGLE, confidence: 0.05 },
      ]),
    ),
  ).toEqual([])
})

test('on a camera where places have no say, a frame has none', () => {
  const frame = { frame_at: 1, score: 0.9, confidence_sum: 0.9, sensitivity: 1, places: [TANGLE] }
  expect(voting(frame, { votes_enabled: true })).toBe(frame)
  expect(voting(frame, { votes_enabled: false })).toEqual({
    frame_at: 1,
    score: 0.9,
    confidence_sum: 0.9,
    sensitivity: 1,
  })
})
