import { expect, test } from 'vitest'
import { pathToNul } from './nul.js'

test.each([
  { name: 'a text', value: 'a\0b', path: [] },
  { name: 'a field', value: { id: 1, name: '\0' }, path: ['name'] },
  { name: 'deep within', value: { a: null, tags: ['x', { y: 'y\0' }] }, path: ['tags', '1', 'y'] },
  { name: 'not there', value: { a: 'a0b', b: [1, true, null, undefined] }, path: undefined },
  { name: 'nothing', value: undefined, path: undefined },
])('NUL: $name', ({ value, path }) => {
  expect(pathToNul(value)).toEqual(path)
})
