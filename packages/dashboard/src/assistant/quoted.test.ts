import { expect, test } from 'vitest'
import { quoted } from './quoted.js'

/** As it is read: between quotes, and apart in its direction of writing. */
const read = (name: string) => `“\u2068${name}\u2069”`

test.each([
  { name: 'an honest name', from: 'benchy ä.gcode', to: 'benchy ä.gcode' },
  { name: 'another direction of writing', from: 'קובץ.gcode', to: 'קובץ.gcode' },
  { name: 'what turns the rest around', from: 'a\u202egpj.exe', to: 'a gpj.exe' },
  { name: 'what ends our isolation', from: 'a\u2069b\u2068', to: 'a b' },
  { name: 'what is not seen', from: 'a\ufe0f\u{e0100}\u3164\u200bb', to: 'a b' },
  { name: 'lines', from: 'a\r\n\tb\u2028c', to: 'a b c' },
  { name: 'what ends our quotes', from: 'a” on “Left". «b»', to: "a' on 'Left'. 'b'" },
  { name: 'a very long name', from: 'x'.repeat(500), to: `${'x'.repeat(119)}…` },
  { name: 'a long name of pictures', from: '🚢'.repeat(500), to: `${'🚢'.repeat(119)}…` },
])('$name', ({ from, to }) => {
  expect(quoted(from)).toBe(read(to))
})
