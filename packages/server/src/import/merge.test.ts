import { expect, test } from 'vitest'
import { conflictNotes, mergeColumns } from './merge.js'

test.each([
  { name: 'nothing changed', base: { a: 1 }, theirs: { a: 1 }, ours: { a: 1 }, changes: {}, conflicts: [] },
  { name: 'changed there', base: { a: 1 }, theirs: { a: 2 }, ours: { a: 1 }, changes: { a: 2 }, conflicts: [] },
  { name: 'changed here', base: { a: 1 }, theirs: { a: 1 }, ours: { a: 2 }, changes: {}, conflicts: [] },
  { name: 'changed on both sides', base: { a: 1 }, theirs: { a: 2 }, ours: { a: 3 }, changes: {}, conflicts: ['a'] },
  { name: 'changed to the same', base: { a: 1 }, theirs: { a: 2 }, ours: { a: 2 }, changes: {}, conflicts: [] },
  {
    name: 'emptied there',
    base: { a: 'x' },
    theirs: { a: null },
    ours: { a: 'x' },
    changes: { a: null },
    conflicts: [],
  },
  { name: 'nobody knows who', base: undefined, theirs: { a: 2 }, ours: { a: 1 }, changes: {}, conflicts: ['a'] },
  { name: 'nobody need know', base: undefined, theirs: { a: 1 }, ours: { a: 1 }, changes: {}, conflicts: [] },
  {
    name: 'each field by itself',
    base: { a: 1, b: 1, c: 1 },
    theirs: { a: 2, b: 2, c: 1 },
    ours: { a: 1, b: 3, c: 4, d: 5 },
    changes: { a: 2 },
    conflicts: ['b'],
  },
])('$name', ({ base, theirs, ours, changes, conflicts }) => {
  expect(mergeColumns(base, theirs, ours)).toEqual({ changes, conflicts })
})

test('conflicts are named in one line, and none in none', () => {
  expect(conflictNotes([])).toEqual([])
  expect(conflictNotes(['name', 'enabled'])).toEqual(['kept as it is here, though it differs there: name, enabled'])
})
