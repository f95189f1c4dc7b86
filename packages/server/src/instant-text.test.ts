import { expect, test } from 'vitest'
import { instantText } from './instant-text.js'

test.each([0, -1, 1, 999, 86_399_999, 86_400_000, 951_782_400_000, 253_402_300_799_999, 253_402_300_800_000, 1.5])(
  'reads %d as toISOString does',
  (ms) => {
    expect(instantText(ms)).toBe(new Date(ms).toISOString())
  },
)

test('reads instants of all times of day and year as toISOString does', () => {
  const instants = Array.from({ length: 10_000 }, (_, index) => index * 314_159_265 + index)
  expect(instants.map(instantText)).toEqual(instants.map((ms) => new Date(ms).toISOString()))
})

test('refuses what is no instant', () => {
  expect(() => instantText(Number.NaN)).toThrow(RangeError)
  expect(() => instantText(Number.POSITIVE_INFINITY)).toThrow(RangeError)
})
