import type { Detection } from '@printwarden/protocol'
import { MAP_SIDE } from '../detector.js'

// Score maps: MAP_SIDE rows of as many cells over a picture, each with how much that place looks like a failure, 0 to 1.

export type ScoreMap = Float32Array

export const MAP_CELLS = MAP_SIDE * MAP_SIDE

export function emptyMap(): ScoreMap {
  return new Float32Array(MAP_CELLS)
}

export function highest(map: ScoreMap): number {
  return map.reduce((best, value) => (value > best ? value : best), 0)
}

/** The higher of two maps in each cell. */
export function higherOf(a: ScoreMap, b: ScoreMap): ScoreMap {
  return a.map((value, i) => Math.max(value, b[i] ?? 0))
}

/** The lower of two maps in each cell. */
export function lowerOf(a: ScoreMap, b: ScoreMap): ScoreMap {
  return a.map((value, i) => Math.min(value, b[i] ?? 0))
}

/** Each cell with the highest of itself and its eight neighbours: boxes around the same thing move a little from frame to frame. */
export function widened(map: ScoreMap): ScoreMap {
  const across = emptyMap()
  const out = emptyMap()
  const at = (from: ScoreMap, row: number, column: number): number =>
    row < 0 || column < 0 || row >= MAP_SIDE || column >= MAP_SIDE ? 0 : (from[row * MAP_SIDE + column] ?? 0)
  for (let i = 0; i < MAP_CELLS; i++) {
    const [row, column] = [Math.floor(i / MAP_SIDE), i % MAP_SIDE]
    across[i] = Math.max(at(map, row, column - 1), at(map, row, column), at(map, row, column + 1))
  }
  for (let i = 0; i < MAP_CELLS; i++) {
    const [row, column] = [Math.floor(i / MAP_SIDE), i % MAP_SIDE]
    out[i] = Math.max(at(across, row - 1, column), at(across, row, column), at(across, row + 1, column))
  }
  return out
}

/**
 * What of a map goes beyond what is explained: in each cell the share of the way from there to certainty. So 0.62 where 0.6 is usual
 * is next to nothing, and 0.95 there is still a lot.
 *
 * @param most no more than this is explained: a place that always scores high must still be able to fail
 * @param trust how far the explanation counts in each cell, 0 to 1
 */
export function beyond(map: ScoreMap, explained: ScoreMap, most: number, trust: (cell: number) => number): ScoreMap {
  return map.map((value, i) => {
    const usual = Math.min(most, explained[i] ?? 0)
    const rest = Math.max(0, (value - usual) / (1 - usual))
    // Never more than was there.
    return Math.min(value, value + (rest - value) * trust(i))
  })
}

/** The cell in which the centre of a finding lies. */
export function cellOf([, , [x, y]]: Detection, [width, height]: readonly [number, number]): number {
  const index = (share: number): number => Math.min(MAP_SIDE - 1, Math.max(0, Math.floor(share * MAP_SIDE)))
  return index(y / height) * MAP_SIDE + index(x / width)
}
