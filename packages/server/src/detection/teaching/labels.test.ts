import { expect, test } from 'vitest'
import { inShares, labelOf } from './labels.js'

test('boxes are told in shares of the picture, cut off at its edges', () => {
  expect(inShares([['failure', 0.9, [100, 50, 40, 20]]], 200, 100)).toEqual([
    ['failure', 0.9, [0.5, 0.5, expect.closeTo(0.2), expect.closeTo(0.2)]],
  ])
  const [[, , box] = []] = inShares([['failure', 0.9, [0, 0, 40, 20]]], 200, 100)
  expect(box).toEqual([0.05, 0.05, 0.1, 0.1])
})

test('what is no failure has an empty label, whatever was found', () => {
  expect(labelOf('NOT_FAILED', [['failure', 0.9, [0.5, 0.5, 0.2, 0.2]]])).toEqual({ text: '', boxes_from: 'none' })
})

test('a failure has the boxes of the model that are sure beside the surest', () => {
  const label = labelOf('FAILED', [
    ['failure', 0.8, [0.5, 0.5, 0.2, 0.2]],
    ['failure', 0.3, [0.1, 0.1, 0.1, 0.1]],
  ])
  expect(label).toEqual({ text: '0 0.5 0.5 0.2 0.2\n', boxes_from: 'model' })
})

test("the user's own boxes take the place of the model's", () => {
  const label = labelOf('FAILED', [
    ['failure', 0.8, [0.5, 0.5, 0.2, 0.2]],
    ['drawn', 1, [0.25, 0.75, 0.1, 0.1]],
  ])
  expect(label).toEqual({ text: '0 0.25 0.75 0.1 0.1\n', boxes_from: 'user' })
})

test('a failure of which nobody knows the place has the whole picture', () => {
  expect(labelOf('FAILED', [])).toEqual({ text: '0 0.5 0.5 1 1\n', boxes_from: 'picture' })
})
