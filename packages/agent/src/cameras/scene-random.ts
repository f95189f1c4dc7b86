/** A seeded source of numbers: the same seed gives the same numbers, so a scene can be drawn again. */
export interface Random {
  /** Evenly spread in [0, 1). */
  next(): number
  range(from: number, to: number): number
  /** A whole number in [from, to]. */
  whole(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly [T, ...T[]]): T
  /** Roughly normal, mean 0, standard deviation 1. */
  normal(): number
}

/** mulberry32: 32 bits of state are plenty for pictures. `stream` keeps the parts of a scene independent of each other. */
export function makeRandom(seed: number, stream = 0): Random {
  let state = (Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(stream + 1, 0x85ebca6b)) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let bits = Math.imul(state ^ (state >>> 15), state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296
  }
  const range = (from: number, to: number): number => from + (to - from) * next()
  return {
    next,
    range,
    whole: (from, to) => Math.floor(range(from, to + 1)),
    chance: (probability) => next() < probability,
    pick: (choices) => choices[Math.floor(next() * choices.length)] ?? choices[0],
    normal: () => (next() + next() + next() + next() - 2) * 1.732,
  }
}
