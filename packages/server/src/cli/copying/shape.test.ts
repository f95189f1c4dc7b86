import { expect, test } from 'vitest'
import { inOrderOfReferences, shapeDifferences, type TableShape } from './shape.js'

const table = (name: string, parents: string[] = [], changes: Partial<TableShape> = {}): TableShape => ({
  ...{ name, parents, key: ['id'], isCounted: true, columns: [{ name: 'id', kind: 'whole' }] },
  ...changes,
})

test('what is pointed at comes first', () => {
  const tables = [
    table('alerts', ['prints', 'users']),
    table('prints', ['users']),
    table('users'),
    table('folders', ['folders']),
  ]
  expect(inOrderOfReferences(tables).map(({ name }) => name)).toEqual(['folders', 'users', 'prints', 'alerts'])
})

test('tables that point at each other are none the less all there', () => {
  const tables = [table('a', ['b']), table('b', ['a']), table('c')]
  expect(inOrderOfReferences(tables).map(({ name }) => name)).toEqual(['c', 'a', 'b'])
})

test.each([
  { name: 'the same', target: [table('users')], said: [] },
  { name: 'a table less', target: [], said: ['the table users is missing in the copy'] },
  { name: 'a table more', target: [table('users'), table('pets')], said: ['the copy has a table pets more'] },
  {
    name: 'another kind',
    target: [table('users', [], { columns: [{ name: 'id', kind: 'text' }] })],
    said: ['the column users.id is not the same on both sides'],
  },
  {
    name: 'a column more',
    target: [
      table('users', [], {
        columns: [
          { name: 'id', kind: 'whole' },
          { name: 'age', kind: 'whole' },
        ],
      }),
    ],
    said: ['the column users.age is not the same on both sides'],
  },
  {
    name: 'another key',
    target: [table('users', [], { key: [] })],
    said: ['the table users has another key in the copy'],
  },
])('$name', ({ target, said }) => {
  expect(shapeDifferences([table('users')], target)).toEqual(said)
})
