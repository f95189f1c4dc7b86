import { expect, test } from 'vitest'
import { overQuota, thinned } from './history.js'

const sizes = [
  { print_id: 3, bytes: 50 },
  { print_id: 1, bytes: 30 },
  { print_id: 2, bytes: 40 },
]

test.each([
  [120, []],
  [119, [3]],
  [70, [3]],
  [69, [3, 1]],
  [0, [3, 1]],
])('with room for %i bytes these prints lose their pictures: %j', (quota, gone) => {
  expect(overQuota(sizes, quota)).toEqual(gone)
})

test('a long list is thinned evenly, a short one is not', () => {
  expect(thinned([1, 2, 3, 4, 5, 6, 7], 3)).toEqual([1, 4, 7])
  expect(thinned([1, 2, 3], 3)).toEqual([1, 2, 3])
})
