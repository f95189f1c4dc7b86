import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { remembered } from './remembered.js'

const TIMES = { goodMs: 60, badMs: 60 }

/** Something that is looked at, and how often it was. */
function newLook(): { look: () => Promise<void>; looks: () => number; problem: Error | undefined } {
  let looks = 0
  const state = {
    problem: undefined as Error | undefined,
    looks: () => looks,
    async look() {
      looks += 1
      await sleep(10)
      if (state.problem !== undefined) throw state.problem
    },
  }
  return state
}

test.each([
  { name: 'that all is well', problem: undefined },
  { name: 'that it is away', problem: new Error('away') },
])('$name is looked at once at a time, and told again for a while', async ({ problem }) => {
  const seen = newLook()
  seen.problem = problem
  const ask = remembered(seen.look, TIMES)
  const answer = (): Promise<unknown> => ask().catch((error: unknown) => error)
  expect(await Promise.all([answer(), answer(), answer()])).toEqual([problem, problem, problem])
  expect(await answer()).toBe(problem)
  expect(seen.looks()).toBe(1)
  await sleep(80)
  expect(await answer()).toBe(problem)
  expect(seen.looks()).toBe(2)
})

test('what was away is found again', async () => {
  const seen = newLook()
  seen.problem = new Error('away')
  const ask = remembered(seen.look, TIMES)
  await expect(ask()).rejects.toThrow('away')
  seen.problem = undefined
  await expect.poll(() => ask().then(() => 'back')).toBe('back')
})

test('a look that fails at once leaves room for the next one', async () => {
  let isBroken = true
  const ask = remembered(() => {
    if (isBroken) throw new Error('a defect')
    return Promise.resolve()
  }, TIMES)
  await expect(ask()).rejects.toThrow('a defect')
  isBroken = false
  await expect.poll(() => ask().then(() => 'back')).toBe('back')
})
