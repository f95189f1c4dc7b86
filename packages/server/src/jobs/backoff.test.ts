import { expect, test } from 'vitest'
import { delayAfter, MAX_ATTEMPTS } from './backoff.js'

test.each([
  { attempts: 1, delay: 10_000 },
  { attempts: 2, delay: 60_000 },
  { attempts: 3, delay: 360_000 },
  { attempts: 4, delay: 2_160_000 },
  { attempts: MAX_ATTEMPTS, delay: undefined },
  { attempts: MAX_ATTEMPTS + 1, delay: undefined },
])('after try $attempts a job rests $delay ms', ({ attempts, delay }) => {
  expect(delayAfter(attempts)).toBe(delay)
})
