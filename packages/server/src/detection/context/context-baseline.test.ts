import { expect, test } from 'vitest'
import {
  acceptAsUsual,
  type Baseline,
  baselineTrust,
  beyondBaseline,
  distrust,
  learnBaseline,
  NO_BASELINE,
} from './context-baseline.js'
import { emptyMap, type ScoreMap } from './score-map.js'

const CLIP = 65
const ELSEWHERE = 350
const FRAME_MS = 10_000
const HOUR_FRAMES = 360

function mapOf(cells: Readonly<Record<number, number>>): ScoreMap {
  const map = emptyMap()
  for (const [cell, value] of Object.entries(cells)) map[Number(cell)] = value
  return map
}

/** A clip that scores 0.5 to 0.7, frame after frame. */
const clipFrame = (i: number): ScoreMap => mapOf({ [CLIP]: 0.6 + 0.1 * Math.sin(i) })

function learned(hours: number, frame: (i: number) => ScoreMap = clipFrame): Baseline {
  let baseline = NO_BASELINE
  for (let i = 0; i < hours * HOUR_FRAMES; i++) baseline = learnBaseline(baseline, frame(i), FRAME_MS)
  return baseline
}

test('a place that always scores counts for little after an hour, and for something new there is still room', () => {
  const baseline = learned(1)
  const usual = beyondBaseline(mapOf({ [CLIP]: 0.65 }), baseline)[CLIP] ?? 1
  const tangle = beyondBaseline(mapOf({ [CLIP]: 0.97 }), baseline)[CLIP] ?? 0
  expect(usual).toBeLessThan(0.15)
  expect(tangle).toBeGreaterThan(0.85)
})

test('elsewhere nothing changes, but for the places right beside it', () => {
  const baseline = learned(1)
  const map = beyondBaseline(mapOf({ [ELSEWHERE]: 0.7, [CLIP + 1]: 0.65 }), baseline)
  expect(map[ELSEWHERE]).toBeCloseTo(0.7, 5)
  expect(map[CLIP + 1]).toBeLessThan(0.15)
})

test('within the first half hour nothing is learned, and what came just before something suspicious never is', () => {
  const early = learned(0.4)
  expect(baselineTrust(early)).toBe(0)
  expect(early.pending?.waiting_ms).toBe(0.4 * 3_600_000)
  expect(distrust(early)).toEqual(NO_BASELINE)
  const known = learned(2)
  const rising = learnBaseline(known, mapOf({ [ELSEWHERE]: 0.45 }), FRAME_MS)
  expect(distrust(rising).map).toEqual(known.map)
})

test('what is no longer there is forgotten within a day, bit by bit', () => {
  let baseline = learned(3)
  const before = baseline.map[CLIP] ?? 0
  for (let i = 0; i < 24 * HOUR_FRAMES; i++) baseline = learnBaseline(baseline, emptyMap(), FRAME_MS)
  expect(baseline.map[CLIP]).toBeLessThan(before / 3)
})

test('a gap between two frames teaches no more than a minute', () => {
  const baseline = learnBaseline(NO_BASELINE, clipFrame(0), 12 * 3_600_000)
  expect(baseline.pending?.learned_ms).toBe(60_000)
})

test('the answer that it was no failure counts at once, and a surer finding there counts still', () => {
  const baseline = acceptAsUsual(NO_BASELINE, mapOf({ [CLIP]: 0.9 }))
  expect(beyondBaseline(mapOf({ [CLIP]: 0.9 }), baseline)[CLIP]).toBeCloseTo(0, 5)
  expect(beyondBaseline(mapOf({ [CLIP]: 0.99 }), baseline)[CLIP]).toBeGreaterThan(0.85)
  expect(beyondBaseline(mapOf({ [CLIP]: 0.5 }), baseline)[CLIP]).toBe(0)
})

test('no place can be learned away: certainty stays certain', () => {
  const always = learned(6, () => mapOf({ [CLIP]: 1 }))
  expect(beyondBaseline(mapOf({ [CLIP]: 1 }), always)[CLIP]).toBeCloseTo(1, 5)
})
