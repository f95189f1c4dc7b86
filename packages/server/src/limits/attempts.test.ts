import { expect, test } from 'vitest'
import { AttemptLimiter, REQUEST_LIMITS } from './attempt-limiter.js'
import { memoryCounters } from '../adapters/counters-memory.js'
import { type Attempts, memoryMs, tryBegins, tryEnds, waitBeforeTry } from './attempts.js'

const LIMIT = { free: 3, firstWaitMs: 10_000, maxWaitMs: 60_000 }
const NOW = 1_800_000_000_000
const MINUTE = 60_000

const attempts = (changes: Partial<Attempts> = {}): Attempts => ({
  wrong: 0,
  lastWrongAt: NOW,
  running: 0,
  beganAt: NOW,
  ...changes,
})

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
  { name: 'few wrong ones for five minutes', from: attempts({ wrong: 2 }), ms: 5 * MINUTE },
  { name: 'many wrong ones for an hour after the wait', from: attempts({ wrong: 3 }), ms: 60 * MINUTE + 10_000 },
  { name: 'what is running for a minute', from: attempts({ running: 1 }), ms: MINUTE },
  { name: 'nothing at all', from: attempts(), ms: 0 },
])('remembered: $name', ({ from, ms }) => {
  expect(memoryMs(from, LIMIT, NOW)).toBe(ms)
})

test('nobody waits for hours after the clock was set back', () => {
  const ahead = attempts({ wrong: 9, lastWrongAt: NOW + 60 * MINUTE, running: 1, beganAt: NOW + 60 * MINUTE })
  expect(waitBeforeTry(ahead, LIMIT, NOW)).toBe(0)
  expect(waitBeforeTry(attempts({ wrong: 3, lastWrongAt: NOW + 1000 }), LIMIT, NOW)).toBe(11_000)
})

test('a try whose node has ended in the middle of it holds nobody up for ever', () => {
  const stuck = attempts({ wrong: 3, lastWrongAt: NOW - MINUTE, running: 1 })
  expect(waitBeforeTry(stuck, LIMIT, NOW + MINUTE - 1)).toBe(1000)
  expect(waitBeforeTry(stuck, LIMIT, NOW + MINUTE)).toBe(0)
})

test('a forgotten past does not count with the next wrong try', () => {
  const begun = tryBegins(attempts({ wrong: 2 }), LIMIT, NOW + 6 * MINUTE)
  expect(tryEnds(begun, 'wrong', NOW + 6 * MINUTE)).toMatchObject({ wrong: 1, running: 0 })
})

const newLimiter = (): AttemptLimiter => {
  const clock = { now: () => NOW }
  return new AttemptLimiter({ counters: memoryCounters(clock), clock }, 'test')
}

const OWN = '198.51.100.1'

/** Two limiters that know the same addresses, on a clock that can be moved. */
function newLimiters() {
  let now = NOW
  const clock = { now: () => now }
  const deps = { counters: memoryCounters(clock), clock }
  return {
    passwords: new AttemptLimiter(deps, 'password'),
    letters: new AttemptLimiter(deps, 'letter', REQUEST_LIMITS, 'password'),
    wait: (ms: number) => {
      now += ms
    },
  }
}

/** Makes a try and says how long one would have had to wait. */
async function attempt(
  limiter: AttemptLimiter,
  email: string,
  ip: string,
  outcome: 'wrong' | 'right' = 'wrong',
): Promise<number> {
  const { waitMs, end } = await limiter.begin(email, ip)
  await end(outcome)
  return waitMs
}

test('five wrong tries are free for an account and an address, then one waits; others do not', async () => {
  const limiter = newLimiter()
  for (let i = 0; i < 5; i += 1) expect(await attempt(limiter, 'a@farm.example', '192.0.2.7')).toBe(0)
  expect(await attempt(limiter, ' A@Farm.example', '192.0.2.7')).toBe(30_000)
  expect(await attempt(limiter, 'b@farm.example', '192.0.2.7')).toBe(0)
  expect(await attempt(limiter, 'a@farm.example', '192.0.2.8')).toBe(0)
})

test('the right password clears the pair', async () => {
  const limiter = newLimiter()
  for (let i = 0; i < 4; i += 1) await attempt(limiter, 'a@farm.example', '192.0.2.7')
  await attempt(limiter, 'a@farm.example', '192.0.2.7', 'right')
  for (let i = 0; i < 5; i += 1) expect(await attempt(limiter, 'a@farm.example', '192.0.2.7')).toBe(0)
  expect(await attempt(limiter, 'a@farm.example', '192.0.2.7')).toBeGreaterThan(0)
})

test('one address guessing at many accounts waits, whichever account it names next', async () => {
  const limiter = newLimiter()
  for (let i = 0; i < 30; i += 1) expect(await attempt(limiter, `${i}@farm.example`, '192.0.2.7')).toBe(0)
  expect(await attempt(limiter, 'new@farm.example', '192.0.2.7')).toBe(30_000)
})

test('many addresses guessing at one account wait, but never long', async () => {
  const limiter = newLimiter()
  for (let i = 0; i < 100; i += 1) expect(await attempt(limiter, 'a@farm.example', `192.0.2.${i}`)).toBe(0)
  expect(await attempt(limiter, 'a@farm.example', '198.51.100.1')).toBe(5_000)
})

test('where an account was right lately, what others guess at it holds nobody up', async () => {
  const { passwords, wait } = newLimiters()
  await attempt(passwords, 'a@farm.example', OWN, 'right')
  wait(29 * 24 * 60 * MINUTE)
  for (let i = 0; i < 110; i += 1) await attempt(passwords, 'a@farm.example', `192.0.2.${i}`)
  expect(await attempt(passwords, 'a@farm.example', '198.51.100.2')).toBeGreaterThan(0)
  expect(await attempt(passwords, 'b@farm.example', OWN)).toBe(0)
  // By its own guesses alone.
  for (let i = 0; i < 5; i += 1) expect(await attempt(passwords, ' A@farm.example', OWN)).toBe(0)
  expect(await attempt(passwords, 'a@farm.example', OWN)).toBe(30_000)
})

test('after a month without a sign-in an address is as any other', async () => {
  const { passwords, wait } = newLimiters()
  await attempt(passwords, 'a@farm.example', OWN, 'right')
  wait(30 * 24 * 60 * MINUTE)
  for (let i = 0; i < 110; i += 1) await attempt(passwords, 'a@farm.example', `192.0.2.${i}`)
  expect(await attempt(passwords, 'a@farm.example', OWN)).toBeGreaterThan(0)
})

test('where an account signed in lately, its letters can be asked for whatever others ask', async () => {
  const { passwords, letters } = newLimiters()
  await attempt(passwords, 'a@farm.example', OWN, 'right')
  const ask = async (ip: string): Promise<number> => {
    const { waitMs, end } = await letters.begin('reset a@farm.example', ip, 'a@farm.example')
    await end('wrong')
    return waitMs
  }
  for (let i = 0; i < 20; i += 1) await ask(`192.0.2.${i}`)
  expect(await ask('198.51.100.2')).toBeGreaterThan(0)
  expect([await ask(OWN), await ask(OWN), await ask(OWN), await ask(OWN)]).toEqual([0, 0, 0, MINUTE])
})

test('strangers who ask for letters all the time leave the owner one that is good', async () => {
  const { letters, wait } = newLimiters()
  for (let i = 0; i < 50; i += 1) {
    const { waitMs, end } = await letters.begin('reset a@farm.example', `192.0.2.${i}`)
    await end('wrong')
    wait(waitMs)
    // A link is good for an hour.
    expect(waitMs).toBeLessThanOrEqual(30 * MINUTE)
  }
})

test('guesses sent side by side do not overtake the count', async () => {
  const limiter = newLimiter()
  const tries = await Promise.all(Array.from({ length: 50 }, () => limiter.begin('a@farm.example', '192.0.2.7')))
  expect(tries.filter(({ waitMs }) => waitMs === 0)).toHaveLength(10)
})
