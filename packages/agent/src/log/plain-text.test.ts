import { expect, test } from 'vitest'
import { plainText } from './plain-text.js'

test.each([
  ['what is plain stays', 'Drucker „Süd“ – 3.1 °C 打印机 🖨', 'Drucker „Süd“ – 3.1 °C 打印机 🖨'],
  ['a colour', 'v0.9\u001b[31mred', 'v0.9 [31mred'],
  ['a command to the terminal in one character', 'a\u009b2Jb', 'a 2Jb'],
  ['a forged line', 'OctoPrint\r\n✓ Linked', 'OctoPrint ✓ Linked'],
  ['a turned direction', 'gpj\u202e.exe', 'gpj .exe'],
])('%s', (_, text, shown) => {
  expect(plainText(text)).toBe(shown)
})
