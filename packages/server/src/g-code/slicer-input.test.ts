import { expect, test } from 'vitest'
import { folderNamesOf, wantsPrint } from './slicer-input.js'

test.each([
  ['', []],
  ['/', []],
  ['a', ['a']],
  ['/a/b/', ['a', 'b']],
  ['a//b', ['a', 'b']],
  ['a\\b', ['a', 'b']],
  ['./a', ['a']],
  [' ', []],
  // Refused later, by the rules for names.
  ['a/../b', ['a', '..', 'b']],
])('the path %j leads through %j', (path, names) => {
  expect(folderNamesOf(path)).toEqual(names)
})

test.each([
  [undefined, false],
  ['', false],
  ['false', false],
  ['true', true],
  ['True', true],
  ['1', true],
  ['no', false],
])('print=%j', (text, wanted) => {
  expect(wantsPrint(new Map(text === undefined ? [] : [['print', text]]))).toBe(wanted)
})

test('a wish that cannot be understood is none', () => {
  expect(() => wantsPrint(new Map([['print', 'maybe']]))).toThrow('print: must be true or false')
})
