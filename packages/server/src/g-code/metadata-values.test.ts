import { expect, test } from 'vitest'
import {
  firstNumberOf,
  lengthOf,
  numberOf,
  numbersOf,
  secondsOf,
  shareOf,
  sumOf,
  textOf,
  textsOf,
} from './metadata-values.js'

test.each([
  ['0.2', 0.2],
  [' .35 ', 0.35],
  ['12.', 12],
  ['"210"', 210],
  ['1e2', 100],
  ['0', 0],
  ['', undefined],
  ['-1', undefined],
  ['1.2.3', undefined],
  ['NaN', undefined],
  ['Infinity', undefined],
  ['1e400', undefined],
  ['0x10', undefined],
  ['2.14748e+12', undefined],
  ['1'.repeat(1000), undefined],
  ['٣', undefined],
  [undefined, undefined],
])('the number %j is %j', (text, value) => {
  expect(numberOf(text)).toBe(value)
})

test.each([
  ['45s', 45],
  ['3m 4s', 184],
  ['1d 2h 3m 4s', 93_784],
  ['  2h  ', 7200],
  ['5025', 5025],
  ['1.5h', 5400],
  ['', undefined],
  ['soon', undefined],
  ['1w', undefined],
  ['-5s', undefined],
  ['99999999d', undefined],
  ['1s '.repeat(300), 8],
])('%j are %j seconds', (text, seconds) => {
  expect(secondsOf(text)).toBe(seconds)
})

test.each([
  ['1.2m, 3.4m', 4600],
  ['12.3mm (0.1cm3)', 12.3],
  ['2cm', 20],
  ['7', 7],
  ['0m', 0],
  ['1.1m,2.2m', 3300],
  ['1234mm3', undefined],
  ['12 furlongs', undefined],
  ['m', undefined],
  ['1.2m, x', undefined],
])('%j are %j millimetres', (text, length) => {
  expect(lengthOf(text)).toBe(length)
})

test('lists are one number an extruder, or nothing', () => {
  expect(numbersOf('0.1,0.2')).toEqual([0.1, 0.2])
  expect(numbersOf('215;220')).toEqual([215, 220])
  expect(numbersOf('1,,2')).toBeUndefined()
  expect(numbersOf('1,'.repeat(100_000))).toHaveLength(64)
  expect(firstNumberOf('0.4,0.6')).toBe(0.4)
  expect(sumOf([0.1, 0.2])).toBe(0.3)
})

test('a share needs a whole', () => {
  expect(shareOf('75%', 0.4)).toBe(0.3)
  expect(shareOf('75%', undefined)).toBeUndefined()
  expect(shareOf('0.2', undefined)).toBe(0.2)
})

const bytes = (text: string): string => Buffer.from(text).toString('latin1')

test.each([
  { name: 'UTF-8', given: bytes('PLA é 🟠'), text: 'PLA é 🟠' },
  { name: 'a broken byte', given: 'PLA\xff', text: 'PLA\ufffd' },
  { name: 'NUL and escapes', given: 'P\0L\x1b[31mA\r', text: 'P L [31mA' },
  { name: 'nothing but blanks', given: ' \t\0', text: undefined },
  { name: 'an endless text', given: 'a'.repeat(1000), text: 'a'.repeat(256) },
  { name: 'a pair at the limit', given: bytes(`${'a'.repeat(255)}🟠`), text: 'a'.repeat(255) },
])('a text with $name', ({ given, text }) => {
  expect(textOf(given)).toBe(text)
})

test.each([
  ['PLA;PLA;PETG', 'PLA;PETG'],
  ['"A; \\"b\\"";C', 'A; "b";C'],
  ['""', undefined],
  ['"open', 'open'],
  [';;', undefined],
  ['"'.repeat(1024), undefined],
])('the list %j is %j', (given, texts) => {
  expect(textsOf(given)).toBe(texts)
})
