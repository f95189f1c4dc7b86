import { expect, test } from 'vitest'
import { fakeClock } from './fake-clock.js'
import { SteadyTime } from './steady-time.js'

const NOW = 1_800_000_000_000
const YEAR = 365 * 24 * 3_600_000

test.each([
  { name: 'time passes', jumpMs: 0, later: 5000 },
  { name: 'the clock is set forward', jumpMs: 56 * YEAR, later: 56 * YEAR + 5000 },
  { name: 'the clock is set back an hour', jumpMs: -3_600_000, later: 5000 },
  { name: 'the clock is lost', jumpMs: -NOW, later: 5000 },
])('$name', ({ jumpMs, later }) => {
  const clock = fakeClock(NOW)
  const time = new SteadyTime(clock)
  expect(time.nowMs()).toBe(NOW)
  clock.setWallMs(NOW + jumpMs)
  clock.advance(5000)
  expect(time.nowMs()).toBe(NOW + later)
  time.reset()
  expect(time.nowMs()).toBe(NOW + jumpMs + 5000)
})
