import { expect, test } from 'vitest'
import { checksumOf, commandOf, MAX_LINE_CHARS, NOTHING_UNFINISHED, numberedLine, splitLines } from './line-protocol.js'

test('number and checksum are those a real host sends', () => {
  expect(numberedLine(0, 'M110 N0')).toBe('N0 M110 N0*125\n')
  expect(numberedLine(1, 'G28')).toBe('N1 G28*18\n')
  expect(numberedLine(3, 'G28')).toBe('N3 G28*16\n')
  expect(checksumOf('')).toBe(0)
})

test.each([
  ['G1 X1 ; a move', 'G1 X1'],
  ['  G1 X1\r', 'G1 X1'],
  ['; only words', ''],
  ['', ''],
  ['N12 G1 X1*33', 'G1 X1'],
  ['G1\x00 X1\x07', 'G1 X1'],
  ['M117 50% * done', 'M117 50%   done'],
  [`M117 ${'long '.repeat(40)}`, `M117 ${'long '.repeat(40)}`.slice(0, 60)],
])('%j is sent as %j', (line, command) => {
  expect(commandOf(line)).toBe(command)
})

function splitAll(...chunks: string[]): string[] {
  let unfinished = NOTHING_UNFINISHED
  return chunks.flatMap((chunk) => {
    const { lines, rest } = splitLines(unfinished, chunk)
    unfinished = rest
    return lines
  })
}

test.each([
  { name: 'lines that come together', chunks: ['ok\nwait\n'], lines: ['ok', 'wait'] },
  { name: 'a line that comes in pieces', chunks: ['o', 'k', '\n'], lines: ['ok'] },
  { name: 'both ends of a line, also apart', chunks: ['ok\r\nok\r', '\nok\n'], lines: ['ok', 'ok', 'ok'] },
  { name: 'what has not ended', chunks: ['ok\nT:2'], lines: ['ok'] },
  {
    name: 'a line that is too long, and the next one',
    chunks: ['x'.repeat(MAX_LINE_CHARS + 1), 'x'.repeat(5000), 'x\nok\n'],
    lines: ['ok'],
  },
  { name: 'a long line in one piece', chunks: [`${'x'.repeat(MAX_LINE_CHARS + 1)}\nok\n`], lines: ['ok'] },
])('$name', ({ chunks, lines }) => {
  expect(splitAll(...chunks)).toEqual(lines)
})

test('a line without an end takes no memory', () => {
  let unfinished = NOTHING_UNFINISHED
  for (let index = 0; index < 100; index += 1) unfinished = splitLines(unfinished, 'x'.repeat(1000)).rest
  expect(unfinished.text.length).toBeLessThanOrEqual(MAX_LINE_CHARS)
})
