import { expect, test } from 'vitest'
import { expiredPrints, isUnlimited, KEEP_ALL, type Outcome } from './retention.js'

const DAY = 86_400_000
const NOW = 100 * DAY
const print = (id: number, days: number, bytes = 10, outcome: Outcome = 'finished') => ({
  ...{ id, outcome, bytes },
  ended_at: NOW - days * DAY,
})

test.each([
  { name: 'nothing is limited', limits: {}, gone: [] },
  { name: 'finished prints by age', limits: { finishedDays: 30 }, gone: ['1 age'] },
  { name: 'a print of just that age stays', limits: { finishedDays: 50 }, gone: [] },
  { name: 'failed prints by age', limits: { finishedDays: 90, failedDays: 10 }, gone: ['2 age'] },
  { name: 'cancelled prints by age', limits: { cancelledDays: 5 }, gone: ['3 age'] },
  { name: 'the oldest until the rest fits', limits: { bytes: 25 }, gone: ['1 size', '2 size'] },
  { name: 'age first, then size', limits: { failedDays: 10, bytes: 15 }, gone: ['2 age', '1 size', '3 size'] },
  { name: 'no bytes at all', limits: { bytes: 0 }, gone: ['1 size', '2 size', '3 size', '4 size'] },
])('$name', ({ limits, gone }) => {
  const prints = [print(4, 1), print(3, 10, 10, 'cancelled'), print(2, 20, 10, 'failed'), print(1, 50)]
  const expired = expiredPrints(prints, { ...KEEP_ALL, ...limits }, NOW)
  expect(expired.map(({ id, reason }) => `${id} ${reason}`)).toEqual(gone)
})

test('what others take counts, but only what can go goes', () => {
  const limits = { ...KEEP_ALL, bytes: 100 }
  expect(expiredPrints([print(1, 5, 30), print(2, 4, 30)], limits, NOW, 60).map(({ id }) => id)).toEqual([1])
  expect(expiredPrints([print(1, 5, 30)], limits, NOW, 500).map(({ id }) => id)).toEqual([1])
})

test('no limit is no retention', () => {
  expect(isUnlimited(KEEP_ALL)).toBe(true)
  expect(isUnlimited({ ...KEEP_ALL, bytes: 0 })).toBe(false)
})
