import { expect, test } from 'vitest'
import { isTooDeep, MAX_DEPTH, moveProblem, type Placed, subtreeOf } from './folder-tree.js'

const at = (id: number, parent_folder_id: number | null): Placed => ({ id, parent_folder_id })

//   1 ─ 2 ─ 3
//   └── 4
//   5
const TREE = [at(1, null), at(2, 1), at(3, 2), at(4, 1), at(5, null)]

const chain = (from: number, length: number): Placed[] =>
  Array.from({ length }, (_, index) => at(from + index, index === 0 ? null : from + index - 1))

test.each([
  { ids: [2], found: [2, 3] },
  { ids: [1], found: [1, 2, 3, 4] },
  { ids: [3, 2, 3], found: [2, 3] },
  { ids: [5, 4], found: [4, 5] },
  { ids: [99], found: [] },
  { ids: [], found: [] },
])('what lies in $ids is $found', ({ ids, found }) => {
  expect([...subtreeOf(TREE, ids)].sort((a, b) => a - b)).toEqual(found)
})

test.each([
  { ids: [1], target: 1, problem: 'cycle' },
  { ids: [1], target: 3, problem: 'cycle' },
  { ids: [5, 2], target: 3, problem: 'cycle' },
  { ids: [2], target: 1, problem: undefined },
  { ids: [3], target: 1, problem: undefined },
  { ids: [1], target: 5, problem: undefined },
  { ids: [1], target: null, problem: undefined },
  { ids: [], target: 1, problem: undefined },
])('moving $ids into $target: $problem', ({ ids, target, problem }) => {
  expect(moveProblem(TREE, ids, target)).toBe(problem)
})

test('folders lie in each other only so deep, counted with what is moved along', () => {
  const deep = chain(1, MAX_DEPTH - 1)
  const all = [...deep, at(100, null), ...chain(200, 2)]
  const last = MAX_DEPTH - 1
  expect(moveProblem(all, [100], last)).toBeUndefined()
  expect(moveProblem(all, [200], last)).toBe('too_deep')
  // Named beside its child, each of the two comes to lie in the target itself.
  expect(moveProblem(all, [200, 201], last)).toBeUndefined()
  expect(isTooDeep(all, last)).toBe(false)
  expect(isTooDeep([...all, at(300, last)], 300)).toBe(true)
  expect(isTooDeep(all, null)).toBe(false)
})
