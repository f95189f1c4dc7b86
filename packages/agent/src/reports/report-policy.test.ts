import { expect, test } from 'vitest'
import { isReportDue } from './report-policy.js'

const sent = { atMs: 10_000, state: 'Printing' }
const nobody = { active: false, viewing: false }

test.each([
  { name: 'the first report', last: undefined, state: 'Operational', attention: nobody, nowMs: 0, due: true },
  { name: 'a change of state', last: sent, state: 'Paused', attention: nobody, nowMs: 10_001, due: true },
  { name: 'idle before 30 s', last: sent, state: 'Printing', attention: nobody, nowMs: 39_999, due: false },
  { name: 'idle after 30 s', last: sent, state: 'Printing', attention: nobody, nowMs: 40_000, due: true },
  {
    name: 'printing before 2 s',
    last: sent,
    state: 'Printing',
    attention: { active: true, viewing: false },
    nowMs: 11_999,
    due: false,
  },
  {
    name: 'printing after 2 s',
    last: sent,
    state: 'Printing',
    attention: { active: true, viewing: false },
    nowMs: 12_000,
    due: true,
  },
  {
    name: 'idle but watched, after 2 s',
    last: sent,
    state: 'Printing',
    attention: { active: false, viewing: true },
    nowMs: 12_000,
    due: true,
  },
])('$name', ({ last, state, attention, nowMs, due }) => {
  expect(isReportDue(last, state, attention, nowMs)).toBe(due)
})
