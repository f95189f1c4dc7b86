import { expect, test } from 'vitest'
import { isPassing, waitMs } from './pace.js'

const NOW = Date.parse('2026-11-22T00:00:00Z')

test.each([
  { tries: 1, retryAfter: undefined, ms: 500 },
  { tries: 4, retryAfter: undefined, ms: 4000 },
  { tries: 20, retryAfter: undefined, ms: 30_000 },
  { tries: 1, retryAfter: '7', ms: 7000 },
  { tries: 1, retryAfter: '0', ms: 0 },
  { tries: 1, retryAfter: '86400', ms: 30_000 },
  { tries: 1, retryAfter: 'Sun, 22 Nov 2026 00:00:09 GMT', ms: 9000 },
  { tries: 1, retryAfter: 'Sat, 21 Nov 2026 00:00:09 GMT', ms: 0 },
  { tries: 2, retryAfter: 'soon', ms: 1000 },
])('after $tries tries and Retry-After $retryAfter: $ms ms', ({ tries, retryAfter, ms }) => {
  expect(waitMs(tries, retryAfter, NOW)).toBe(ms)
})

test.each([
  [200, false],
  [404, false],
  [403, false],
  [429, true],
  [500, true],
  [503, true],
])('%i is passing: %s', (status, passing) => {
  expect(isPassing(status)).toBe(passing)
})
