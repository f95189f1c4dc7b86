import { expect, test } from 'vitest'
import { curvePath, filmFrames, filmPosition, frameIndex } from './film.js'

test.each([
  { position: 0, count: 10, index: 0 },
  { position: 0.04, count: 10, index: 0 },
  { position: 0.06, count: 10, index: 1 },
  { position: 0.5, count: 10, index: 5 },
  { position: 1, count: 10, index: 9 },
  { position: 0.5, count: 1, index: 0 },
])('at $position of $count frames number $index is shown', ({ position, count, index }) => {
  expect(frameIndex(position, count)).toBe(index)
})

test.each([
  { ts: 20, position: 0.25 },
  { ts: 24, position: 0.25 },
  { ts: 0, position: 0 },
  { ts: 99, position: 0.75 },
])('what happened at $ts is shown at $position', ({ ts, position }) => {
  const frames = [{ score: 0, ts: 10 }, { score: 0, ts: 20 }, null, { score: 0, ts: 40 }]
  expect(filmPosition(frames, ts)).toBe(position)
  expect(filmPosition([null], ts)).toBeUndefined()
})

test('the curve has a point for each frame, and a gap where one is lost', () => {
  const frames = [{ score: 0, ts: 1 }, { score: 1, ts: 2 }, null, { score: 0.5, ts: 4 }]
  expect(curvePath(frames)).toBe('M0.0 100.0L333.3 0.0M1000.0 50.0')
  expect(curvePath([{ score: 2, ts: 1 }])).toBe('M500.0 0.0')
})

test('a frame whose data is lost is null', () => {
  expect(filmFrames([{}])).toEqual([null])
})
