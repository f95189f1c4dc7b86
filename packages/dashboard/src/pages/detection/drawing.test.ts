import { expect, test } from 'vitest'
import { type Crop, draw, dragCrop, type Drawing, drawingOf, isChanged, type Region, type Step } from './drawing.js'

const TRIANGLE: Region = [
  [0.1, 0.1],
  [0.3, 0.1],
  [0.2, 0.3],
]
const NOTHING = drawingOf({ regions: [], crop: null })
const after = (drawing: Drawing, ...steps: Step[]): Drawing => steps.reduce(draw, drawing)
const corners = TRIANGLE.map((at): Step => ({ type: 'add', at }))

test('a painted region is there once it is closed, and one undo takes it back', () => {
  const painted = after(NOTHING, { type: 'begin' }, ...corners, { type: 'close' })
  expect(painted).toMatchObject({ regions: [TRIANGLE], draft: undefined })
  expect(after(painted, { type: 'undo' }).regions).toEqual([])
})

test('two corners are no region, and undo takes back one corner at a time', () => {
  const [first, second] = corners
  const begun = after(NOTHING, { type: 'begin' }, first as Step, second as Step)
  expect(after(begun, { type: 'close' })).toEqual(begun)
  expect(after(begun, { type: 'undo' }).draft).toEqual([[0.1, 0.1]])
  expect(after(begun, { type: 'undo' }, { type: 'undo' }, { type: 'undo' }).draft).toBeUndefined()
})

test('a corner that is dragged outside stays on the edge, and one undo takes the whole way back', () => {
  const known = drawingOf({ regions: [TRIANGLE], crop: null })
  const move = (to: [number, number]): Step => ({ type: 'move', region: 0, corner: 1, to })
  const moved = after(known, { type: 'grab' }, move([0.5, 0.5]), move([1.4, -0.2]))
  expect(moved.regions[0]?.[1]).toEqual([1, 0])
  expect(after(moved, { type: 'undo' }).regions).toEqual([TRIANGLE])
})

test('a region of three corners goes with the first corner that is removed', () => {
  const square: Region = [...TRIANGLE, [0.1, 0.3]]
  const known = drawingOf({ regions: [square], crop: null })
  const fewer = after(known, { type: 'drop-corner', region: 0, corner: 0 })
  expect(fewer.regions[0]).toHaveLength(3)
  expect(after(fewer, { type: 'drop-corner', region: 0, corner: 0 }).regions).toEqual([])
})

test('there are no more than twelve regions', () => {
  const full = drawingOf({ regions: Array.from({ length: 12 }, () => TRIANGLE), crop: null })
  expect(after(full, { type: 'begin' }).draft).toBeUndefined()
})

const crop: Crop = { x: 0.2, y: 0.2, width: 0.5, height: 0.5 }
test.each([
  ['move', 0.9, -0.9, { x: 0.5, y: 0, width: 0.5, height: 0.5 }],
  ['se', 0.1, 0.2, { x: 0.2, y: 0.2, width: 0.6, height: 0.7 }],
  ['se', 0.9, 0.9, { x: 0.2, y: 0.2, width: 0.8, height: 0.8 }],
  ['nw', 0.9, 0.9, { x: 0.6, y: 0.6, width: 0.1, height: 0.1 }],
  ['ne', 0.1, -0.1, { x: 0.2, y: 0.1, width: 0.6, height: 0.6 }],
] as const)('a crop that is dragged at %s by %d, %d stays inside of the picture', (grip, dx, dy, wanted) => {
  expect(dragCrop(crop, grip, dx, dy)).toEqual(wanted)
})

test('a drawing that was changed back is not changed', () => {
  const known = drawingOf({ regions: [TRIANGLE], crop })
  expect(isChanged(after(known, { type: 'remove', region: 0 }), known)).toBe(true)
  expect(isChanged(after(known, { type: 'remove', region: 0 }, { type: 'undo' }), known)).toBe(false)
})
