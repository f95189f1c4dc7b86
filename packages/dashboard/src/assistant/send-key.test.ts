import { expect, test } from 'vitest'
import { isSendKey } from './send-key.js'

const ENTER = { key: 'Enter', shiftKey: false, isComposing: false, keyCode: 13 }

test.each([
  { name: 'Enter sends', event: ENTER, sends: true },
  { name: 'another key does not', event: { ...ENTER, key: 'a', keyCode: 65 }, sends: false },
  { name: 'with Shift it begins a line', event: { ...ENTER, shiftKey: true }, sends: false },
  { name: 'one that ends the choice of a character does not', event: { ...ENTER, isComposing: true }, sends: false },
  { name: 'the same in Safari', event: { ...ENTER, keyCode: 229 }, sends: false },
])('$name', ({ event, sends }) => {
  expect(isSendKey(event)).toBe(sends)
})
