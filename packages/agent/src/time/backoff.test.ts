import { expect, test } from 'vitest'
import { askedDelayMs, backoffMs, restartDelayMs, SERVER_BACKOFF } from './backoff.js'

const limits = { baseMs: 1000, maxMs: 60_000 }

test.each([
  { attempt: 1, random: 0, ms: 500 },
  { attempt: 1, random: 0.999999, ms: 1000 },
  { attempt: 2, random: 0.5, ms: 1500 },
  { attempt: 5, random: 0, ms: 8000 },
  { attempt: 7, random: 0.5, ms: 45_000 },
  { attempt: 5000, random: 0.999999, ms: 60_000 },
  { attempt: 0, random: 0, ms: 500 },
])('try $attempt with $random waits $ms ms', ({ attempt, random, ms }) => {
  expect(backoffMs(attempt, random, limits)).toBe(ms)
})

test('two agents that lost the server together do not come back together', () => {
  expect(backoffMs(4, 0.1, SERVER_BACKOFF)).not.toBe(backoffMs(4, 0.9, SERVER_BACKOFF))
})

test('a restarting server is tried again within three seconds', () => {
  expect(restartDelayMs(0)).toBe(500)
  expect(restartDelayMs(1)).toBe(2500)
})

test.each([
  { header: '5', random: 0, ms: 5000 },
  { header: '5', random: 0.5, ms: 7500 },
  { header: '0', random: 0, ms: 1000 },
  { header: '86400', random: 0.5, ms: 60_000 },
  { header: undefined, random: 0, ms: undefined },
  { header: 'Wed, 21 Oct 2026 07:28:00 GMT', random: 0, ms: undefined },
])('asked to come back after $header it comes after $ms ms', ({ header, random, ms }) => {
  expect(askedDelayMs(header, random)).toBe(ms)
})
