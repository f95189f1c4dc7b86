import { expect, test } from 'vitest'
import { AttemptLimiter } from './attempt-limiter.js'
import { type Attempts, addressGroup, isForgotten, tryBegins, tryEnds, waitBeforeTry } from './attempts.js'

const LIMIT = { free: 3, firstWaitMs: 10_000, maxWaitMs: 60_000 }
const NOW = 1_800_000_000_000
const MINUTE = 60_000

const attempts = (changes: Partial<Attempts> = {}): Attempts => ({ wrong: 0, lastWrongAt: NOW, running: 0, ...changes })

test.each([
  { name: 'nothing is known', from: undefined, waitMs: 0 },
  { name: 'below the limit', from: attempts({ wrong: 2 }), waitMs: 0 },
  { name: 'at the limit', from: attempts({ wrong: 3 }), waitMs: 10_000 },
  { name: 'each further wrong one doubles the wait', from: attempts({ wrong: 5 }), waitMs: 40_000 },
  { name: 'the wait has an end', from: attempts({ wrong: 1000 }), waitMs: 60_000 },
  { name: 'part of the wait is over', from: attempts({ wrong: 3, lastWrongAt: NOW - 4_000 }), waitMs: 6_000 },
  { name: 'the wait is over', from: attempts({ wrong: 3, lastWrongAt: NOW - 10_000 }), waitMs: 0 },
  { name: 'many at a time', from: attempts({ running: 10 }), waitMs: 1000 },
  {
    name: 'one at a time once waits were asked for',
    from: attempts({ wrong: 3, lastWrongAt: NOW - MINUTE, running: 1 }),
    waitMs: 1000,
  },
])('before a try: $name', ({ from, waitMs }) => {
  expect(waitBeforeTry(from, LIMIT, NOW)).toBe(waitMs)
})

test.each([
  { name: 'few wrong ones for five minutes', from: attempts({ wrong: 2 }), afterMs: 5 * MINUTE - 1, forgotten: false },
  { name: 'few wrong ones no longer', from: attempts({ wrong: 2 }), afterMs: 5 * MINUTE, forgotten: true },
  { name: 'many wrong ones for an hour', from: attempts({ wrong: 3 }), afterMs: 60 * MINUTE, forgotten: false },
  { name: 'many wrong ones no longer', from: attempts({ wrong: 3 }), afterMs: 61 * MINUTE, forgotten: true },
  { name: 'what is running always', from: attempts({ running: 1 }), afterMs: 600 * MINUTE, forgotten: false },
])('remembered: $name', ({ from, afterMs, forgotten }) => {
  expect(isForgotten(from, LIMIT, NOW + afterMs)).toBe(forgotten)
})

test('a forgotten past does not count with the next wrong try', () => {
  const begun = tryBegins(attempts({ wrong: 2 }), LIMIT, NOW + 6 * MINUTE)
  expect(tryEnds(begun, 'wrong', NOW + 6 * MINUTE)).toMatchObject({ wrong: 1, running: 0 })
})

test.each([
  { ip: '192.0.2.7', group: '192.0.2.7' },
  { ip: '::ffff:192.0.2.7', group: '192.0.2.7' },
  { ip: '2001:db8:1:2:3:4:5:6', group: '2001:db8:1:2::/64' },
  { ip: '2001:DB8:0001::9', group: '2001:db8:1:0::/64' },
  { ip: '::1', group: '0:0:0:0::/64' },
  { ip: 'fe80::1%eth0', group: 'fe80:0:0:0::/64' },
])('$ip counts as $group', ({ ip, group }) => {
  expect(addressGroup(ip)).toBe(group)
})

/** Makes a try and says how long one would have had to wait. */
function attempt(limiter: AttemptLimiter, email: string, ip: string, outcome: 'wrong' | 'right' = 'wrong'): number {
  const { waitMs, end } = limiter.begin(email, ip, NOW)
  end(outcome, NOW)
  return waitMs
}

test('five wrong tries are free for an account and an address, then one waits; others do not', () => {
  const limiter = new AttemptLimiter()
  for (let i = 0; i < 5; i += 1) expect(attempt(limiter, 'a@farm.example', '192.0.2.7')).toBe(0)
  expect(attempt(limiter, ' A@Farm.example', '192.0.2.7')).toBe(30_000)
  expect(attempt(limiter, 'b@farm.example', '192.0.2.7')).toBe(0)
  expect(attempt(limiter, 'a@farm.example', '192.0.2.8')).toBe(0)
})

test('the right password clears the pair', () => {
  const limiter = new AttemptLimiter()
  for (let i = 0; i < 4; i += 1) attempt(limiter, 'a@farm.example', '192.0.2.7')
  attempt(limiter, 'a@farm.example', '192.0.2.7', 'right')
  for (let i = 0; i < 5; i += 1) expect(attempt(limiter, 'a@farm.example', '192.0.2.7')).toBe(0)
  expect(attempt(limiter, 'a@farm.example', '192.0.2.7')).toBeGreaterThan(0)
})

test('one address guessing at many accounts waits, whichever account it names next', () => {
  const limiter = new AttemptLimiter()
  for (let i = 0; i < 30; i += 1) expect(attempt(limiter, `${i}@farm.example`, '192.0.2.7')).toBe(0)
  expect(attempt(limiter, 'new@farm.example', '192.0.2.7')).toBe(30_000)
})

test('many addresses guessing at one account wait, but never long', () => {
  const limiter = new AttemptLimiter()
  for (let i = 0; i < 100; i += 1) expect(attempt(limiter, 'a@farm.example', `192.0.2.${i}`)).toBe(0)
  expect(attempt(limiter, 'a@farm.example', '198.51.100.1')).toBe(5_000)
})

test('guesses sent side by side do not overtake the count', () => {
  const limiter = new AttemptLimiter()
  const tries = Array.from({ length: 50 }, () => limiter.begin('a@farm.example', '192.0.2.7', NOW))
  expect(tries.filter(({ waitMs }) => waitMs === 0)).toHaveLength(10)
})
