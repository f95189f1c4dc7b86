import { expect, test } from 'vitest'
import {
  beyondCleanBed,
  type CleanBed,
  type Comparison,
  compareWithCleanBed,
  keepCleanBed,
} from './context-clean-bed.js'
import { MAP_SIDE } from '../detector.js'
import { emptyMap } from './score-map.js'

const SIDE = 56

/** A bed with a grid of clips and marks on it; each option changes it as a print, a lamp or a hand would. */
function bed(
  options: { bright?: number; lamp?: boolean; dx?: number; dy?: number; part?: boolean; other?: boolean } = {},
) {
  const { bright = 1, dx = 0, dy = 0 } = options
  return Uint8Array.from({ length: SIDE * SIDE }, (_, i) => {
    const [x, y] = [(i % SIDE) - dx, Math.floor(i / SIDE) - dy]
    let value = 70 + 30 * Math.sin(x / 2.3) * Math.cos(y / 3.1) + 25 * (Math.floor(x / 9) % 2)
    if (options.other) value = 70 + 40 * Math.sin((x * y) / 23)
    if (options.part && x > 24 && x < 34 && y > 24 && y < 34) value = (x * 7 + y * 13) % 2 === 0 ? 200 : 90
    if (options.lamp) value += 40 * (x / SIDE)
    return Math.min(255, Math.max(0, value * bright))
  })
}

function unchangedOf(comparison: Comparison): Float32Array {
  if ('problem' in comparison) throw new Error(comparison.problem)
  return comparison.unchanged
}

const CENTRE = 10 * MAP_SIDE + 10
const share = (cells: Float32Array): number => cells.filter((value) => value > 0.5).length / cells.length

test.each([
  ['the same picture', {}],
  ['a darker one', { bright: 0.6 }],
  ['a brighter one', { bright: 1.3 }],
  ['a lamp from one side', { lamp: true }],
  ['a camera that moved a little', { dx: 1, dy: -1 }],
] as const)('%s has not changed', (_, options) => {
  expect(share(unchangedOf(compareWithCleanBed(bed(), bed(options))))).toBeGreaterThan(0.85)
})

test('where a part appeared it has changed, elsewhere it has not', () => {
  const unchanged = unchangedOf(compareWithCleanBed(bed(), bed({ part: true })))
  expect(unchanged[CENTRE]).toBe(0)
  expect(unchanged[2 * MAP_SIDE + 2]).toBe(1)
})

test.each([
  ['too_dark', { bright: 0.02 }],
  ['camera_moved', { dx: 3 }],
  ['scene_changed', { other: true }],
] as const)('it is not used: %s', (problem, options) => {
  expect(compareWithCleanBed(bed(), bed(options))).toEqual({ problem })
})

const frame = { print_id: 7, taken_at: 60_000, look: 'null', thumb: bed(), map: emptyMap() }

test('the first three frames of a print are its reference, later ones are not', () => {
  const first = keepCleanBed(null, frame, 0)
  const clip = emptyMap()
  clip[30] = 0.8
  const second = keepCleanBed(first, { ...frame, taken_at: 70_000, map: clip }, 0)
  const third = keepCleanBed(second, frame, 0)
  expect(third).toMatchObject({ frames: 3, print_id: 7, taken_at: 60_000 })
  expect(third?.map[30]).toBeCloseTo(0.8, 5)
  expect(keepCleanBed(third, frame, 0)).toBe(third)
  expect(keepCleanBed(null, { ...frame, taken_at: 6 * 60_000 }, 0)).toBeNull()
  expect(keepCleanBed(third, { ...frame, print_id: 8 }, 0)).toMatchObject({ print_id: 8, frames: 1 })
})

test('what was there counts for nothing, what is new there counts as before', () => {
  const map = emptyMap()
  map[CENTRE] = 0.9
  const kept = { ...frame, map, frames: 1 } satisfies CleanBed
  expect(beyondCleanBed(map, kept, new Float32Array(MAP_SIDE ** 2).fill(1))[CENTRE]).toBeCloseTo(0, 5)
  expect(beyondCleanBed(map, kept, new Float32Array(MAP_SIDE ** 2))[CENTRE]).toBeCloseTo(0.9, 5)
})
