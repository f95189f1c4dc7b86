import { expect, test } from 'vitest'
import { clockOffsetMs } from './session.js'

const T = Date.parse('2026-03-01T12:00:00Z')

test.each([
  { name: 'clocks that agree', date: 'Sun, 01 Mar 2026 12:00:00 GMT', asked: T + 300, answered: T + 700, offset: 0 },
  {
    name: 'ours is a minute late',
    date: 'Sun, 01 Mar 2026 12:00:00 GMT',
    asked: T - 60_000,
    answered: T - 60_000,
    offset: 60_500,
  },
  {
    name: 'ours is an hour early',
    date: 'Sun, 01 Mar 2026 12:00:00 GMT',
    asked: T + 3_600_000,
    answered: T + 3_601_000,
    offset: -3_600_000,
  },
  { name: 'no header', date: null, asked: T, answered: T, offset: 0 },
  { name: 'a header that is no date', date: 'soon', asked: T, answered: T, offset: 0 },
])('$name', ({ date, asked, answered, offset }) => {
  expect(clockOffsetMs(date, asked, answered)).toBe(offset)
})
