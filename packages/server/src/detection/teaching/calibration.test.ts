import { expect, test } from 'vitest'
import {
  type CalibrationExample,
  calibrated,
  calibrationSteps,
  MAX_OFFSET,
  neededScore,
  offsetOf,
} from './calibration.js'

const falseAlarm = (score = 0.7): CalibrationExample => ({ score, answer: 'NOT_FAILED' })
const missed = (score = 0.2): CalibrationExample => ({ score, answer: 'FAILED' })
const many = (count: number, example: CalibrationExample) => Array<CalibrationExample>(count).fill(example)

test('without answers a score stays as it is', () => {
  expect(offsetOf([])).toBe(0)
  expect(calibrated(0.731, 0)).toBe(0.731)
})

test.each([
  [0.5, 0, 0.5],
  [0.5, 1, 0.731],
  [0.5, -1, 0.269],
  [0.9, -1.5, 0.668],
  [0, 1.5, 0],
  [1, -1.5, 1],
])('score %f with offset %f counts as %f', (score, offset, expected) => {
  expect(calibrated(score, offset)).toBeCloseTo(expected, 3)
})

test('a false alarm makes the camera ask for more, a missed failure for less', () => {
  expect(offsetOf([falseAlarm()])).toBeLessThan(0)
  expect(offsetOf([missed()])).toBeGreaterThan(0)
  expect(neededScore(0.5, offsetOf([falseAlarm()]))).toBeGreaterThan(0.55)
})

test('each further answer of the same kind moves less', () => {
  const steps = calibrationSteps(many(6, falseAlarm())).map(Math.abs)
  for (const [index, step] of steps.entries()) if (index > 0) expect(step).toBeLessThan(steps[index - 1] ?? 0)
})

test('an answer that surprises moves more than one that agrees', () => {
  expect(Math.abs(offsetOf([falseAlarm(0.95)]))).toBeGreaterThan(Math.abs(offsetOf([falseAlarm(0.55)])))
  expect(Math.abs(offsetOf([missed(0.05)]))).toBeGreaterThan(Math.abs(offsetOf([missed(0.9)])))
})

test('answers that agree with the model change next to nothing', () => {
  expect(Math.abs(offsetOf(many(50, falseAlarm(0.01))))).toBeLessThan(0.1)
  expect(Math.abs(offsetOf(many(50, missed(0.99))))).toBeLessThan(0.1)
})

test('however many answers, a sure failure still counts as one', () => {
  const offset = offsetOf(many(1000, falseAlarm(0.99)))
  expect(offset).toBeGreaterThanOrEqual(-MAX_OFFSET)
  expect(calibrated(0.9, offset)).toBeGreaterThan(0.6)
  expect(offsetOf(many(1000, missed(0.01)))).toBeLessThanOrEqual(MAX_OFFSET)
})

test('taking the only answer back undoes it, and taking one of two back leaves what the other does', () => {
  const both = [falseAlarm(0.8), missed(0.3)]
  expect(offsetOf(both.slice(0, 1))).toBe(offsetOf([falseAlarm(0.8)]))
  expect(offsetOf(both.filter(({ answer }) => answer === 'FAILED'))).toBe(offsetOf([missed(0.3)]))
})

test('a calibration keeps the order of scores', () => {
  const scores = Array.from({ length: 101 }, (_, index) => index / 100)
  for (const offset of [-1.5, -0.3, 0.7, 1.5]) {
    const moved = scores.map((score) => calibrated(score, offset))
    expect(moved).toEqual([...moved].sort((a, b) => a - b))
  }
})
