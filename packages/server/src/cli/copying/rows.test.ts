import { expect, test } from 'vitest'
import { type Adapted, copyLine, fitRow, MisfitError, type Row, rowText } from './rows.js'
import type { TableShape } from './shape.js'

const shape: TableShape = {
  name: 'prints',
  columns: [
    { name: 'id', kind: 'whole' },
    { name: 'filename', kind: 'text' },
    { name: 'print_time', kind: 'number' },
  ],
  key: ['id'],
  isCounted: true,
  parents: [],
}

test.each([
  { name: 'what fits stays', row: [1, 'a', 0.5], fitted: [1, 'a', 0.5], told: [] },
  { name: 'null fits everywhere', row: [1, null, null], fitted: [1, null, null], told: [] },
  { name: 'U+0000', row: [1, 'a\0b', 1], fitted: [1, 'a\uFFFDb', 1], told: ['filename nul_replaced'] },
  { name: 'a fraction', row: [1.6, 'a', 1], fitted: [2, 'a', 1], told: ['id rounded'] },
  { name: 'infinite', row: [1, 'a', Infinity], fitted: [1, 'a', Infinity], told: [] },
])('$name', ({ row, fitted, told }) => {
  const adapted: Adapted[] = []
  expect(fitRow(shape, row, (one) => adapted.push(one))).toEqual(fitted)
  expect(adapted.map(({ column, what }) => `${column} ${what}`)).toEqual(told)
})

test.each([
  { row: ['one', 'a', 1], said: /prints\.id of row one holds "one" where only a whole number/ },
  { row: [7, new Uint8Array(3), 1], said: /prints\.filename of row 7 holds bytes where only a text/ },
  { row: [7, 'a', 'long'], said: /prints\.print_time of row 7 holds "long" where only a number/ },
])('what no column can hold is named: $said', ({ row, said }) => {
  expect(() => fitRow(shape, row, () => {})).toThrow(MisfitError)
  expect(() => fitRow(shape, row, () => {})).toThrow(said)
})

test('no two rows have the same text', () => {
  const rows: Row[] = [
    ['a', 'b'],
    ['ab', ''],
    ['a;1:b', ''],
    [1, 2],
    ['1', '2'],
    [12, null],
    [12, '-'],
    [null, 12],
    [0.1, 0],
  ]
  expect(new Set(rows.map(rowText)).size).toBe(rows.length)
})

test('a line for COPY escapes what would end a field or a row', () => {
  expect(copyLine([1, 'a\tb\nc\rd\\N', null, Infinity, ''])).toBe('1\ta\\tb\\nc\\rd\\\\N\t\\N\tInfinity\t\n')
})
