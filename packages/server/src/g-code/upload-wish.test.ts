import { expect, test } from 'vitest'
import { printerIdOf } from './upload-wish.js'

test.each([
  { text: undefined, id: undefined },
  { text: '', id: undefined },
  { text: '  ', id: undefined },
  { text: '7', id: '7' },
  { text: 'Left [7]', id: '7' },
  { text: 'Left [old] [12] ', id: '12' },
  { text: '[3]', id: '3' },
  { text: 'two\nlines [4]', id: '4' },
])('$text names $id', ({ text, id }) => {
  expect(printerIdOf(new Map(text === undefined ? [] : [['printer_id', text]]))).toBe(id)
})

test.each(['Left', 'Left 7', '0', '[0]', 'Left [7', '7]', 'Left [x]', 'Left [7] x', '99999999999999999'])(
  '%s is refused',
  (text) => {
    expect(() => printerIdOf(new Map([['printer_id', text]]))).toThrow(/printer_id/)
  },
)
