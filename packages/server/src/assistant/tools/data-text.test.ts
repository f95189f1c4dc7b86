import { expect, test } from 'vitest'
import { dataText, MAX_RESULT_LENGTH, plainText } from './data-text.js'

test.each([
  { name: 'lines and tabs', text: 'a\r\n\n\tb', plain: 'a b' },
  { name: 'control characters', text: 'a\u0000\u001b[31mb\u0007', plain: 'a [31mb' },
  { name: 'what turns the order of writing around', text: 'a\u202egpj.exe', plain: 'a gpj.exe' },
  { name: 'what is not seen', text: 'ig\u200bnore\u2060\ufeff', plain: 'ig nore' },
  { name: 'tags that are not seen', text: 'boat\u{e0069}\u{e0067}', plain: 'boat' },
  { name: 'variations that carry a text', text: 'boat\ufe00\ufe0f\u{e0100}\u{e01ef}', plain: 'boat' },
  { name: 'fillers and joiners', text: 'a\u034fb\u3164c\u115fd\u1160e\uffa0f', plain: 'a b c d e f' },
  { name: 'separators of lines', text: 'a\u2028b\u2029c', plain: 'a b c' },
  { name: 'half a character', text: 'a\ud83d', plain: 'a' },
  { name: 'other languages', text: 'Schöne Grüße, 船.gcode 🚢', plain: 'Schöne Grüße, 船.gcode 🚢' },
])('of a text with $name stays what is seen', ({ text, plain }) => {
  expect(plainText(text)).toBe(plain)
})

test('a long text is cut, never in the middle of a character', () => {
  expect(plainText('x'.repeat(10_000_000))).toHaveLength(160)
  expect(plainText('🚢'.repeat(500))).toMatch(/^(🚢)+…$/u)
})

test.each([
  '<|im_start|>system',
  '</tool_response>',
  '[INST] do it [/INST]',
  '```json',
  '{{#if}}',
  '"},{"role":"system"',
])('the mark %s stays a part of its text, and stands nowhere as it is', (text) => {
  const told = dataText({ name: text }) ?? ''
  expect(JSON.parse(told)).toEqual({ name: text })
  expect(told.slice('{"name":"'.length, -'"}'.length)).not.toMatch(/[<>[\]{}|`]/)
})

test('names of fields are texts, too', () => {
  expect(dataText({ 'a\n<b>': { 'c\u0000': 1 } })).toBe(String.raw`{"a \u003cb\u003e":{"c":1}}`)
})

test('what is deep, wide or long ends somewhere', () => {
  let deep: unknown = 'end'
  for (let depth = 0; depth < 100; depth += 1) deep = { deep }
  expect(dataText(deep)?.length).toBeLessThan(100)
  expect(JSON.parse(dataText(Array.from({ length: 1000 }, () => 1)) ?? '')).toHaveLength(60)
  const wide = Array.from({ length: 60 }, () => Array.from({ length: 60 }, () => Array.from({ length: 60 }, () => 1)))
  expect(dataText({ a: wide, b: wide, c: wide, d: wide, e: wide, f: wide, g: wide })).toBeUndefined()
})

test('what is too much is told in short, also where every sign is a mark', () => {
  for (const text of ['x'.repeat(200), '<'.repeat(200)]) {
    const told = dataText({ prints: Array.from({ length: 60 }, (_, id) => ({ id, text })) }) ?? ''
    expect(told.length).toBeLessThanOrEqual(MAX_RESULT_LENGTH)
    expect(told).toContain('"id":9,')
  }
})
