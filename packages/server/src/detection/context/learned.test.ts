import { expect, test } from 'vitest'
import { acceptAsUsual, learnBaseline } from './context-baseline.js'
import { directionOf, learnAnswer, learnClean } from './context-prototypes.js'
import { keptLearned, type Learned, learnedView, NOTHING_LEARNED, readLearned } from './learned.js'
import { emptyMap } from './score-map.js'

function busy(size: number): Learned {
  const map = emptyMap().map((_, i) => (i % 7) / 10)
  let { baseline, prototypes } = NOTHING_LEARNED
  for (let i = 0; i < 400; i++) baseline = learnBaseline(baseline, map, 10_000)
  for (let i = 0; i < 12; i++) {
    const seen = emptyMap().map((_, cell) => (Math.floor(cell / 30) === i ? 0.95 : 0))
    baseline = { ...acceptAsUsual(baseline, seen, i), pending: baseline.pending }
  }
  for (let i = 0; i < 40; i++) {
    const seen = directionOf(Float32Array.from({ length: size }, (_, k) => Math.sin((k + 1) * (i + 1))))
    if (seen === undefined) throw new Error('no direction')
    prototypes = learnAnswer(learnClean(prototypes, seen, 10_000), seen, i % 2 === 0 ? 'FAILED' : 'NOT_FAILED', i)
  }
  const thumb = new Uint8Array(56 * 56).fill(90)
  const clean_bed = { print_id: 3, taken_at: 1_795_000_000_000, look: 'null', frames: 2, thumb, map }
  const idle_bed = { taken_at: 1_794_999_000_000, look: 'null', thumb, map }
  return { baseline, prototypes, clean_bed, idle_bed }
}

test('what was learned comes back as it was, to the precision of a byte', () => {
  const learned = busy(128)
  const read = readLearned(keptLearned(learned))
  expect(read.baseline.learned_ms).toBe(learned.baseline.learned_ms)
  for (const [i, value] of learned.baseline.map.entries()) expect(read.baseline.map[i]).toBeCloseTo(value, 2)
  expect(read.prototypes.clean).toHaveLength(8)
  for (const [i, value] of learned.prototypes.failures[3]?.direction.entries() ?? [])
    expect(read.prototypes.failures[3]?.direction[i]).toBeCloseTo(value, 2)
  expect(read.prototypes.failures.map(({ alert_id }) => alert_id)).toEqual(
    learned.prototypes.failures.map(({ alert_id }) => alert_id),
  )
  const [kept, was] = [read.baseline.accepted[5], learned.baseline.accepted[5]]
  expect(kept).toMatchObject({ alert_id: 5, learned_ms: was?.learned_ms })
  expect(kept?.cells.map(([cell]) => cell)).toEqual(was?.cells.map(([cell]) => cell))
  for (const [i, [, before]] of was?.cells.entries() ?? []) expect(kept?.cells[i]?.[1]).toBeCloseTo(before, 2)
  expect(read.idle_bed).toMatchObject({ taken_at: 1_794_999_000_000, thumb: learned.idle_bed?.thumb })
  expect(read.clean_bed).toMatchObject({ print_id: 3, frames: 2, thumb: learned.clean_bed?.thumb })
  expect(read.baseline.pending).toBeNull()
})

test('with the shipped model it is less than 30 KB a camera, with a large one less than 100 KB', () => {
  expect(keptLearned(busy(128)).length).toBeLessThan(30_000)
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
