import { expect, test } from 'vitest'
import { askedDelayMs, retryDelayMs } from './backoff.js'

test.each([
  { name: 'the first wait is between a quarter and half a second', attempt: 1, random: 0, delay: 250 },
  { name: 'chance moves it up', attempt: 1, random: 0.5, delay: 375 },
  { name: 'it doubles', attempt: 3, random: 0, delay: 1000 },
  { name: 'it stops at half a minute', attempt: 12, random: 0.999999, delay: 30_000 },
  { name: 'a night of failures overflows nothing', attempt: 5000, random: 0, delay: 15_000 },
])('$name', ({ attempt, random, delay }) => {
  expect(retryDelayMs(attempt, random)).toBe(delay)
})

test.each([
  { name: 'nothing was asked for', seconds: undefined, random: 0.9, delay: 0 },
  { name: 'what was asked for', seconds: 7, random: 0, delay: 7000 },
  { name: 'chance moves it up a little', seconds: 7, random: 0.5, delay: 7250 },
  { name: 'a quarter of an hour at most', seconds: 1e9, random: 0, delay: 900_000 },
])('asked to wait: $name', ({ seconds, random, delay }) => {
  expect(askedDelayMs(seconds, random)).toBe(delay)
})
