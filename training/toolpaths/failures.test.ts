import { describe, expect, test } from 'vitest'
import { growFailure } from './failures.js'
import { parseGCode } from './g-code.js'
import { hatch, rectangle } from './outlines.js'
import { PARTS, printPart } from './parts.js'
import { makeRandom, mixSeed } from './random.js'
import { growStrings } from './strand.js'
import { durationOf, extentOf, MOVE, pointAt } from './toolpath.js'

const box = printPart('box', makeRandom(3), { x: 100, y: 100, seconds: 3600 })
const severity = { from: 1800, length: 4000, flow: 40 }

const isRising = (list: ArrayLike<number>): boolean =>
  Array.from(list).every((value, i, all) => i === 0 || value >= (all[i - 1] ?? 0))

test('the same seed gives the same numbers, another seed others', () => {
  const draw = (seed: number): number[] => {
    const random = makeRandom(seed)
    return Array.from({ length: 5 }, () => random.next())
  }
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
  expect(mixSeed(1, 2)).not.toBe(mixSeed(2, 1))
  const many = makeRandom(1)
  const mean = Array.from({ length: 20_000 }, () => many.next()).reduce((a, b) => a + b) / 20_000
  expect(mean).toBeCloseTo(0.5, 1)
})

test.each(PARTS)('%s stands on the bed and is printed from below', (part) => {
  const toolpath = printPart(part, makeRandom(11), { x: 110, y: 110, seconds: 3600 })
  expect(toolpath.count).toBeGreaterThan(100)
  expect(durationOf(toolpath)).toBeCloseTo(3600, 0)
  expect(Math.min(...toolpath.z)).toBeGreaterThan(0)
  expect(isRising(toolpath.layer)).toBe(true)
  const { left, right } = extentOf(toolpath)
  expect((left + right) / 2).toBeGreaterThan(60)
  expect((left + right) / 2).toBeLessThan(160)
})

test('hatching fills a rectangle and leaves its hole open', () => {
  const lines = hatch([rectangle(20, 20), rectangle(10, 10)], 0, 1)
  expect(lines).toHaveLength(10 + 2 * 10)
  const length = lines.reduce((sum, [[x0, y0], [x1, y1]]) => sum + Math.hypot(x1 - x0, y1 - y0), 0)
  expect(length).toBeCloseTo(20 * 20 - 10 * 10, 6)
})

describe('a tangle', () => {
  const failure = growFailure('tangle', makeRandom(5), box, severity)
  const [strand] = failure.strands

  test('begins when the print fails and grows with time, as fast as filament comes', () => {
    expect(strand?.time[0]).toBe(1800)
    const times = [...(strand?.time ?? [])]
    expect(isRising(times)).toBe(true)
    expect((times.at(-1) ?? 0) - 1800).toBeGreaterThan(60)
    expect((times.at(-1) ?? 0) - 1800).toBeLessThanOrEqual(4000 / 40 + 1)
  })

  test('lies on the bed and the print, near to where the nozzle goes', () => {
    const { left, right, front, back, top } = extentOf(box)
    const within = (list: Float32Array | undefined, low: number, high: number): void => {
      expect(Math.min(...(list ?? []))).toBeGreaterThan(low)
      expect(Math.max(...(list ?? []))).toBeLessThan(high)
    }
    within(strand?.z, 0, top + 60)
    within(strand?.x, left - 110, right + 110)
    within(strand?.y, front - 110, back + 110)
  })

  test('is the same for the same seed', () => {
    expect(growFailure('tangle', makeRandom(5), box, severity).strands[0]?.x).toEqual(strand?.x)
    expect(growFailure('tangle', makeRandom(6), box, severity).strands[0]?.x).not.toEqual(strand?.x)
  })

  test('of a long failure keeps to a bounded number of points', () => {
    const long = growFailure(
      'tangle',
      makeRandom(5),
      { ...box, time: box.time.map((t) => t * 20) },
      { from: 2000, length: Infinity, flow: 60 },
    )
    expect(long.strands[0]?.count).toBeLessThan(12_000)
    expect(long.strands[0]?.time.at(-1)).toBeGreaterThan(durationOf(box) * 15)
  })
})

test('a detached part moves as a whole: no two of its points change their distance, and none goes below the bed', () => {
  for (let seed = 0; seed < 20; seed++) {
    const failure = growFailure('detached', makeRandom(seed), box, severity)
    const points = [40, 400, 900, 1400].map((i) => Float64Array.of(box.x[i] ?? 0, box.y[i] ?? 0, box.z[i] ?? 0))
    const [first = new Float64Array(3), , , last = new Float64Array(3)] = points
    const gap = (): number => Math.hypot(...[0, 1, 2].map((k) => (first[k] ?? 0) - (last[k] ?? 0)))
    const before = gap()
    expect(points.some((point) => failure.bend(point, 0, 1799))).toBe(false)
    expect(gap()).toBe(before)
    expect(points.every((point) => failure.bend(point, 0, 5000))).toBe(true)
    expect(gap()).toBeCloseTo(before, 3)
    expect(Math.min(...points.map(([, , z = 0]) => z))).toBeGreaterThan(-0.3 * before)
  }
})

test('shifted layers are those above the one at which it fails', () => {
  const failure = growFailure('layer_shift', makeRandom(2), box, severity)
  const layer = box.layer[pointAt(box, 1800)] ?? 0
  const point = Float64Array.of(100, 100, 5)
  expect(failure.bend(point, layer - 1, 3000)).toBe(false)
  expect([...point]).toEqual([100, 100, 5])
  expect(failure.bend(point, layer, 3000)).toBe(true)
  expect(Math.abs((point[0] ?? 0) - 100) + Math.abs((point[1] ?? 0) - 100)).toBeGreaterThan(2.9)
})

test('a blob grows at the nozzle', () => {
  const failure = growFailure('blob', makeRandom(2), box, severity)
  expect(failure.lump(1700)).toBe(0)
  expect(failure.lump(1900)).toBeGreaterThan(0)
  expect(failure.lump(9000)).toBeGreaterThan(failure.lump(1900))
})

test('strings hang between walls that the nozzle travels between, and nowhere else', () => {
  const twoTowers = parseGCode('M83\nG1 Z2 F6000\nG1 X10 Y10\nG1 X12 E1\nG0 X50\nG1 X52 E1\n')
  const strings = growStrings(makeRandom(1), twoTowers, 1)
  expect(strings.count).toBe(9)
  for (let i = 0; i < 9; i++) {
    expect(strings.x[i]).toBeGreaterThanOrEqual(11.9)
    expect(strings.x[i]).toBeLessThanOrEqual(50.1)
  }
  const oneWall = { ...twoTowers, kind: twoTowers.kind.map(() => MOVE.wall) }
  expect(growStrings(makeRandom(1), oneWall, 1).count).toBe(0)
})
