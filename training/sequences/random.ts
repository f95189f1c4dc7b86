// Chance with a seed: the same seed gives the same timeline on every machine.

export type Random = ReturnType<typeof makeRandom>

/** Mixes numbers and words into one seed (FNV-1a). */
export function seedOf(...parts: readonly (number | string)[]): number {
  let hash = 0x811c9dc5
  for (const letter of parts.join('/')) {
    hash ^= letter.charCodeAt(0)
    hash = Math.imul(hash, 0x01000193)
  }
  return hash >>> 0
}

/** A stream of chance (mulberry32). */
export function makeRandom(...seed: readonly (number | string)[]) {
  let state = seedOf(...seed)

  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  const range = (from: number, to: number): number => from + (to - from) * next()
  const chance = (share: number): boolean => next() < share
  const below = (count: number): number => Math.floor(next() * count)
  /** The mean of it is 0 and its deviation 1. */
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const exponential = (mean: number): number => -mean * Math.log(1 - next())

  function pick<T>(items: readonly T[]): T {
    const item = items[below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  return { next, range, chance, below, normal, exponential, pick }
}

/** The chance, 0 to 1, that belongs to two numbers under a seed: the quick way where every frame needs some. */
export function chanceAt(seed: number, a: number, b = 0): number {
  let mixed = (seed ^ Math.imul(a | 0, 0x9e3779b1) ^ Math.imul((b | 0) + 0x7f4a7c15, 0x85ebca6b)) | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296
}

/** Near enough to a normal one: four even chances, scaled to a deviation of 1. */
export function normalAt(seed: number, a: number, b: number): number {
  let total = -2
  for (let i = 0; i < 4; i++) total += chanceAt(seed + i * 7919, a, b)
  return total * Math.sqrt(3)
}
