import { expect, test } from 'vitest'
import { calibrated } from '../teaching/calibration.js'
import {
  cleanTime,
  directionOf,
  learnAnswer,
  learnClean,
  MAX_ANSWERS,
  MAX_CLEAN,
  MOST_SHIFT,
  NO_PROTOTYPES,
  type Prototypes,
  prototypeShift,
} from './context-prototypes.js'

const SIZE = 128

/** What a model sees: a direction that `kind` names, with a little of its own in each frame. */
function seen(kind: number, frame = 0, noise = 0.02): Float32Array {
  const values = Float32Array.from(
    { length: SIZE },
    (_, i) => Math.sin((i + 1) * (kind + 1)) + noise * Math.sin((i + 3) * (frame + 5.5)),
  )
  return directionOf(values) ?? values
}

function afterHours(hours: number): Prototypes {
  let prototypes = NO_PROTOTYPES
  for (let i = 0; i < hours * 360; i++) prototypes = learnClean(prototypes, seen(i % 3, i), 10_000)
  return prototypes
}

const answered = (count: number, kind: number, answer: 'FAILED' | 'NOT_FAILED'): Prototypes =>
  Array.from({ length: count }).reduce<Prototypes>(
    (known, _, i) => learnAnswer(known, seen(kind, i), answer),
    NO_PROTOTYPES,
  )

test('good frames lower the score of frames like them, by half a logit at most, and of nothing else', () => {
  const known = afterHours(3)
  expect(known.clean.length).toBeLessThanOrEqual(MAX_CLEAN)
  expect(cleanTime(known)).toBeGreaterThan(2.9 * 3_600_000)
  expect(prototypeShift(known, seen(1, 9999))).toBeLessThan(-0.15)
  expect(prototypeShift(known, seen(1, 9999))).toBeGreaterThanOrEqual(-0.5)
  expect(prototypeShift(known, seen(40))).toBe(0)
})

test('one answer moves a little, many move more, and there is an end to it', () => {
  const shifts = [1, 3, 6, 12].map((count) => prototypeShift(answered(count, 2, 'NOT_FAILED'), seen(2, 77)))
  expect(shifts.every((shift, i) => i === 0 || shift < (shifts[i - 1] ?? 0))).toBe(true)
  expect(shifts[0]).toBeGreaterThan(-0.35)
  expect(Math.min(...shifts)).toBeGreaterThanOrEqual(-1)
})

test('a handful of clicks does not silence a real failure', () => {
  // Five false alarms that looked nearly the same, and a camera that has been good for three hours.
  const known = { ...afterHours(3), not_failures: answered(5, 2, 'NOT_FAILED').not_failures }
  const unlike = calibrated(0.9, prototypeShift(known, seen(40)))
  const alike = calibrated(0.9, prototypeShift(known, seen(2, 77)))
  expect(unlike).toBeCloseTo(0.9, 5)
  expect(alike).toBeGreaterThan(0.6)
})

test('an answer that it failed raises what looks like it', () => {
  const shift = prototypeShift(answered(2, 5, 'FAILED'), seen(5, 3))
  expect(shift).toBeGreaterThan(0.3)
  expect(shift).toBeLessThanOrEqual(MOST_SHIFT)
})

test('the oldest answer of too many is forgotten, and what another model saw is not compared', () => {
  const many = answered(MAX_ANSWERS + 5, 2, 'FAILED')
  expect(many.failures).toHaveLength(MAX_ANSWERS)
  expect(prototypeShift(many, directionOf(Float32Array.of(1, 2, 3)) ?? new Float32Array())).toBeCloseTo(0, 6)
  const other = learnClean(afterHours(1), directionOf(Float32Array.of(1, 2, 3)) ?? new Float32Array(), 10_000)
  expect(other.clean).toHaveLength(1)
})

test('a model that saw nothing, or no number, has no direction', () => {
  expect(directionOf(new Float32Array(4))).toBeUndefined()
  expect(directionOf(Float32Array.of(Number.NaN, 1))).toBeUndefined()
})
