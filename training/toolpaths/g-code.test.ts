import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseGCode } from './g-code.js'
import { durationOf, extentOf, MOVE, nozzleAt } from './toolpath.js'

function fixture(name: string): string {
  return readFileSync(new URL(`../../test/fixtures/g-code/${name}`, import.meta.url), 'utf8')
}

/** Kind and place of every point. */
function points(text: string): [number, number, number, number][] {
  const { count, kind, x, y, z } = parseGCode(text)
  return Array.from({ length: count }, (_, i) => [kind[i] ?? -1, x[i] ?? -1, y[i] ?? -1, z[i] ?? -1])
}

test('moves that feed filament lay lines, others travel', () => {
  const text = 'G90\nM82\nG92 E0\nG1 Z0.2 F600\nG0 X10 Y10 F6000\nG1 X20 E1\nG1 X20 Y20 E2 ; up\nG1 E1.2\nG0 X0 Y0\n'
  expect(points(text)).toEqual([
    [MOVE.travel, 0, 0, expect.closeTo(0.2, 5)],
    [MOVE.travel, 10, 10, expect.closeTo(0.2, 5)],
    [MOVE.wall, 20, 10, expect.closeTo(0.2, 5)],
    [MOVE.wall, 20, 20, expect.closeTo(0.2, 5)],
    [MOVE.travel, 0, 0, expect.closeTo(0.2, 5)],
  ])
})

test('relative places and relative filament are counted on', () => {
  const text = 'G91\nG1 Z0.3\nG1 X5 Y5\nG1 X5 E0.4\nG90\nM83\nG1 X30 E1\nG1 Y9 E-1\nG1 X31 E0.5\n'
  expect(points(text).map(([kind, x, y]) => [kind, x, y])).toEqual([
    [MOVE.travel, 0, 0],
    [MOVE.travel, 5, 5],
    [MOVE.wall, 10, 5],
    [MOVE.wall, 30, 5],
    [MOVE.travel, 30, 9],
    [MOVE.wall, 31, 9],
  ])
})

test('after G92 the filament is counted from its new value', () => {
  const text = 'M82\nG1 Z0.2\nG1 X5 E10\nG92 E0\nG1 X6 E0.5\nG1 X7 E0.2\n'
  expect(points(text).map(([kind]) => kind)).toEqual([MOVE.travel, MOVE.wall, MOVE.wall, MOVE.travel])
})

test('comments of slicers say what lines are for', () => {
  const text =
    'M83\nG1 Z0.2\n;TYPE:SUPPORT\nG1 X1 E1\n;TYPE:Internal infill\nG1 X2 E1\n; FEATURE: Outer wall\nG1 X3 E1\n;TYPE:SKIRT\nG1 X4 E1\n'
  expect(points(text).map(([kind]) => kind)).toEqual([MOVE.travel, MOVE.support, MOVE.fill, MOVE.wall, MOVE.skirt])
})

test('a lifted nozzle that only travels starts no layer', () => {
  const text = 'M83\nG1 Z0.2\nG1 X5 E1\nG1 Z0.6\nG0 X9\nG1 Z0.2\nG1 X20 E1\nG1 Z0.4\nG1 X5 E1\n'
  expect(parseGCode(text)).toMatchObject({ layers: 2, layerHeight: expect.closeTo(0.2, 5) })
})

test('times follow from lengths and speeds', () => {
  const toolpath = parseGCode('M83\nG1 X0 Y0 Z0.2 F6000\nG1 X60 E1 F1200\nG1 X60 Y20 E1 F600\n')
  expect(durationOf(toolpath)).toBeCloseTo(3 + 2, 3)
  expect(nozzleAt(toolpath, 1.5)).toEqual({ x: expect.closeTo(30, 3), y: 0, z: expect.closeTo(0.2, 5) })
})

test('a file that lays nothing is refused', () => {
  expect(() => parseGCode('G28\nG1 X10\n')).toThrow('no material')
})

test.each([
  { name: 'prusaslicer-2.5.gcode', layers: [5, 400] },
  { name: 'curaengine-4.13.gcode', layers: [5, 400] },
  { name: 'slic3r-1.3.gcode', layers: [5, 400] },
])('$name of a real slicer is read as it was sliced', ({ name, layers: [least = 0, most = 0] }) => {
  const toolpath = parseGCode(fixture(name))
  const { left, right, front, back, top } = extentOf(toolpath)
  expect(toolpath.layers).toBeGreaterThanOrEqual(least)
  expect(toolpath.layers).toBeLessThan(most)
  expect(top).toBeCloseTo(toolpath.layers * toolpath.layerHeight, 0)
  expect(right - left).toBeGreaterThan(2)
  expect(back - front).toBeGreaterThan(2)
})
