import { expect, test } from 'vitest'
import { pickShots } from './shots.js'

const at = (seconds: number, current_p: number) => ({ frame_at: seconds * 1000, current_p })

test.each([
  ['nothing that looks fine', [at(0, 0.05), at(200, 0.076)], []],
  ['the highest first', [at(0, 0.2), at(200, 0.9), at(400, 0.5)], [200, 400, 0]],
  [
    'two minutes apart, the higher one of two that are close',
    [at(0, 0.5), at(60, 0.8), at(119, 0.7), at(180, 0.6)],
    [60, 180],
  ],
  ['the earlier of two that are alike', [at(100, 0.5), at(0, 0.5)], [0]],
])('shots are %s', (_name, candidates, expected) => {
  expect(pickShots(candidates).map(({ frame_at }) => frame_at / 1000)).toEqual(expected)
})

test('a print is asked about seven times at most', () => {
  expect(pickShots(Array.from({ length: 100 }, (_, index) => at(index * 120, 0.5)))).toHaveLength(7)
})
