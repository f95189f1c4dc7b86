import { expect, test } from 'vitest'
import { CounterStates } from './counter-states.js'
import { memoryCounters } from './counters-memory.js'
import { countersContract } from './counters.contract.js'

countersContract(async (clock) => memoryCounters(clock))

test('states are forgotten when their time is up', () => {
  let now = 0
  const states = new CounterStates({ now: () => now })
  states.set('k', '1', 1000)
  now = 999
  expect(states.get('k')).toBe('1')
  now = 1000
  expect(states.get('k')).toBeUndefined()
})

test('a flood of names drops what changed longest ago, never what is counted now', () => {
  const states = new CounterStates({ now: () => 0 }, 3)
  for (const key of ['abuser', 'a', 'b', 'abuser', 'c', 'd']) states.set(key, key, 1000)
  expect(['abuser', 'a', 'b', 'c', 'd'].map((key) => states.get(key))).toEqual([
    'abuser',
    undefined,
    undefined,
    'c',
    'd',
  ])
})
