import { expect, test } from 'vitest'
import { durationWords, onOneLine } from './plain-words.js'

test.each([
  { name: 'lines and tabs', text: 'a\r\n\n\tb', plain: 'a b' },
  { name: 'what turns the order of writing around', text: 'a\u202egpj.exe', plain: 'a gpj.exe' },
  { name: 'variations that carry a text', text: 'boat\ufe00\ufe0f\u{e0100}\u{e01ef}', plain: 'boat' },
  { name: 'fillers and joiners', text: 'a\u034fb\u3164c\u115fd', plain: 'a b c d' },
  { name: 'other languages', text: 'Schöne Grüße, 船.gcode 🚢', plain: 'Schöne Grüße, 船.gcode 🚢' },
])('of a text with $name stays what is seen', ({ text, plain }) => {
  expect(onOneLine(text, 100)).toBe(plain)
})

test('a long text is cut between characters', () => {
  expect(onOneLine('🚢'.repeat(500), 10)).toBe(`${'🚢'.repeat(9)}…`)
})

test.each([
  [45_000, '45 s'],
  [720_000, '12 min'],
  [12_000_000, '3 h 20 min'],
])('%d ms are %s', (ms, words) => {
  expect(durationWords(ms)).toBe(words)
})
