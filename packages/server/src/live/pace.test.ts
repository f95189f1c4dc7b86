import { expect, test } from 'vitest'
import { FLOWING, nextStep, roundDelayMs, SLOW_BYTES, STUCK_AFTER_MS } from './pace.js'

const FULL = SLOW_BYTES + 1000

test.each([
  { name: 'an empty socket', before: FLOWING, buffered: 0, now: 0, step: 'tell', stuckSince: undefined },
  { name: 'a socket at the limit', before: FLOWING, buffered: SLOW_BYTES, now: 0, step: 'tell', stuckSince: undefined },
  { name: 'a socket that has just filled', before: FLOWING, buffered: FULL, now: 5, step: 'wait', stuckSince: 5 },
  {
    name: 'a full socket that takes something',
    before: { buffered: FULL, stuckSince: 5 },
    buffered: FULL - 1,
    now: STUCK_AFTER_MS + 5,
    step: 'wait',
    stuckSince: STUCK_AFTER_MS + 5,
  },
  {
    name: 'a full socket that has taken nothing for a while',
    before: { buffered: FULL, stuckSince: 5 },
    buffered: FULL,
    now: STUCK_AFTER_MS + 4,
    step: 'wait',
    stuckSince: 5,
  },
  {
    name: 'a full socket that takes nothing at all',
    before: { buffered: FULL, stuckSince: 5 },
    buffered: FULL,
    now: STUCK_AFTER_MS + 5,
    step: 'give_up',
    stuckSince: 5,
  },
  {
    name: 'a socket that recovered',
    before: { buffered: FULL, stuckSince: 5 },
    buffered: 10,
    now: STUCK_AFTER_MS * 2,
    step: 'tell',
    stuckSince: undefined,
  },
])('$name: $step', ({ before, buffered, now, step, stuckSince }) => {
  expect(nextStep(before, buffered, now)).toMatchObject({ step, flow: { stuckSince } })
})

test.each([
  { name: 'long ago', last: 0, now: 10_000, delay: 0 },
  { name: 'just now', last: 10_000, now: 10_000, delay: 200 },
  { name: 'a while ago', last: 9_900, now: 10_000, delay: 100 },
  { name: 'in the future, by a clock that was set back', last: 99_000, now: 10_000, delay: 200 },
])('a round after one $name waits $delay ms', ({ last, now, delay }) => {
  expect(roundDelayMs(last, now)).toBe(delay)
})
