import { expect, test } from 'vitest'
import { LastValues } from './live-redis-values.js'

test('the same text under a key is the same value, another text another one', () => {
  const values = new LastValues()
  const first = values.read('status:1', '{"a":1}')
  expect(first).toEqual({ a: 1 })
  expect(values.read('status:1', '{"a":1}')).toBe(first)
  expect(values.read('status:2', '{"a":1}')).not.toBe(first)
  expect(values.read('status:1', '{"a":2}')).toEqual({ a: 2 })
})

test('forgets what is more than it may hold, and reads on', () => {
  const values = new LastValues(20)
  const first = values.read('a', '[1,2,3]')
  for (let round = 0; round < 10; round += 1) values.read('b', '[4,5,6]')
  expect(values.read('a', '[1,2,3]')).toBe(first)
  expect(values.read('c', '[7,8,9]')).toEqual([7, 8, 9])
  expect(values.read('a', '[1,2,3]')).toEqual(first)
  expect(values.read('a', '[1,2,3]')).not.toBe(first)
})

test('what is no JSON is an error each time', () => {
  const values = new LastValues()
  expect(() => values.read('a', '{')).toThrow(SyntaxError)
  expect(() => values.read('a', '{')).toThrow(SyntaxError)
})
