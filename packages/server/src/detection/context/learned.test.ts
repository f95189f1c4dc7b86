import { expect, test } from 'vitest'
import { learnBaseline } from './context-baseline.js'
import { directionOf, learnAnswer, learnClean } from './context-prototypes.js'
import { keptLearned, type Learned, learnedView, NOTHING_LEARNED, readLearned } from './learned.js'
import { emptyMap } from './score-map.js'

function busy(size: number): Learned {
  const map = emptyMap().map((_, i) => (i % 7) / 10)
  let { baseline, prototypes } = NOTHING_LEARNED
  for (let i = 0; i < 400; i++) baseline = learnBaseline(baseline, map, 10_000)
  for (let i = 0; i < 40; i++) {
    const seen = directionOf(Float32Array.from({ length: size }, (_, k) => Math.sin((k + 1) * (i + 1))))
    if (seen === undefined) throw new Error('no direction')
    prototypes = learnAnswer(learnClean(prototypes, seen, 10_000), seen, i % 2 === 0 ? 'FAILED' : 'NOT_FAILED')
  }
  const thumb = new Uint8Array(56 * 56).fill(90)
  const clean_bed = { print_id: 3, taken_at: 1_795_000_000_000, look: 'null', frames: 2, thumb, map }
  return { baseline, prototypes, clean_bed }
}

test('what was learned comes back as it was, to the precision of a byte', () => {
  const learned = busy(128)
  const read = readLearned(keptLearned(learned))
  expect(read.baseline.learned_ms).toBe(learned.baseline.learned_ms)
  for (const [i, value] of learned.baseline.map.entries()) expect(read.baseline.map[i]).toBeCloseTo(value, 2)
  expect(read.prototypes.clean).toHaveLength(8)
  for (const [i, value] of (learned.prototypes.failures[3] ?? []).entries())
    expect(read.prototypes.failures[3]?.[i]).toBeCloseTo(value, 2)
  expect(read.clean_bed).toMatchObject({ print_id: 3, frames: 2, thumb: learned.clean_bed?.thumb })
  expect(read.baseline.pending).toBeNull()
})

test('with the shipped model it is less than 20 KB a camera, with a large one less than 100 KB', () => {
  expect(keptLearned(busy(128)).length).toBeLessThan(20_000)
  expect(keptLearned(busy(1280)).length).toBeLessThan(100_000)
})

test.each([
  '',
  '{}',
  '{"baseline":{"map":"AA==","learned_ms":3}}',
  keptLearned(busy(8)).replace('"map":"', '"map":"AAAA'),
])('what cannot be read is nothing (%#)', (text) => {
  expect(readLearned(text)).toEqual(NOTHING_LEARNED)
})

test('people see hours and counts', () => {
  expect(learnedView(busy(128), 'too_dark')).toMatchObject({
    baseline: { hours: 1, pending_hours: 0.11 },
    prototypes: { clean_hours: 0.11, failures: 12, not_failures: 12 },
    clean_bed: { taken_at: '2026-11-18T11:06:40.000Z', unused: 'too_dark' },
  })
  expect(learnedView(NOTHING_LEARNED, null).baseline.map).toEqual([])
})
