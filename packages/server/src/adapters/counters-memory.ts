import type { Clock, Counters, CounterStep } from '../ports.js'
import { CounterStates } from './counter-states.js'

/** Counters in this process's memory: for one process. */
export function memoryCounters(clock: Clock): Counters {
  const states = new CounterStates(clock)
  return {
    update: async (keys, step) => updateHere(states, keys, step),
  }
}

/** One step on what this process knows. */
export function updateHere<State, Result>(
  states: CounterStates,
  keys: readonly string[],
  step: (states: readonly (State | undefined)[]) => CounterStep<State, Result>,
): Result {
  const after = step(keys.map((key) => stateOf(states.get(key)) as State | undefined))
  after.states?.forEach((state, index) => {
    const key = keys[index]
    if (key !== undefined) states.set(key, textOf(state), after.ttlMs)
  })
  return after.result
}

export const textOf = (state: unknown): string | undefined => (state === undefined ? undefined : JSON.stringify(state))

/** What stands under our keys was written by us. */
export const stateOf = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text))
