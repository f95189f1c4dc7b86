import { expect, test } from 'vitest'
import { fakeClock } from '../time/fake-clock.js'
import { LONG_SILENCE_MS, Silence } from './silence.js'

test.each([
  { name: 'none', begin: false, lastsMs: 0, ends: false, long: false },
  { name: 'a short one that lasts', begin: true, lastsMs: LONG_SILENCE_MS - 1, ends: false, long: false },
  { name: 'a long one that lasts', begin: true, lastsMs: LONG_SILENCE_MS, ends: false, long: true },
  { name: 'a short one that has ended', begin: true, lastsMs: LONG_SILENCE_MS - 1, ends: true, long: false },
  { name: 'a long one that has ended', begin: true, lastsMs: LONG_SILENCE_MS, ends: true, long: true },
])('$name', ({ begin, lastsMs, ends, long }) => {
  const clock = fakeClock()
  const silence = new Silence(clock)
  const sinceMs = clock.monotonicMs()
  if (begin) silence.begin()
  clock.advance(lastsMs / 2)
  if (begin) silence.begin()
  clock.advance(lastsMs / 2)
  if (ends) silence.end()
  expect(silence.wasLongSince(sinceMs)).toBe(long)
})

test('one that was over before does not count', () => {
  const clock = fakeClock()
  const silence = new Silence(clock)
  silence.begin()
  clock.advance(LONG_SILENCE_MS)
  silence.end()
  clock.advance(1)
  expect(silence.wasLongSince(clock.monotonicMs())).toBe(false)
})
