import { expect, test } from 'vitest'
import { captionPath } from './scene-caption.js'

const LETTERS = Array.from('0123456789:-./%°ABCDEFGHIJKLMNOPQRSTUVWXYZ')

test.each(LETTERS)('%s stays within its cell', (letter) => {
  const path = captionPath(letter, 0, 0, 1)
  const numbers = path.match(/-?[\d.]+/g)?.map(Number) ?? []
  expect(numbers.length).toBeGreaterThanOrEqual(4)
  expect(numbers.length % 2).toBe(0)
  for (const [i, value] of numbers.entries()) expect(value).toBeLessThanOrEqual(i % 2 === 0 ? 4 : 6)
})

test('no two letters look the same, but 0 and O', () => {
  const paths = LETTERS.filter((letter) => letter !== 'O').map((letter) => captionPath(letter, 0, 0, 1))
  expect(new Set(paths).size).toBe(paths.length)
})

test('unknown characters leave a gap', () => {
  expect(captionPath('a€b', 0, 0)).toBe(captionPath('A', 0, 0) + captionPath('  B', 0, 0))
})
