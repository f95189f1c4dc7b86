import { expect, test } from 'vitest'
import { bytesText, timeText } from './amounts.js'
import { spread } from './estimate.js'
import { progressLine } from './progress-line.js'
import { hasFailed, newSummary, noteMissing, noteOutcome, summaryLines } from './summary.js'

test('the end tells how many of each, and of what is left out why', () => {
  const summary = newSummary()
  const made = { kind: 'print', source_id: 1, outcome: 'created', id: 5, notes: [], wants: [] } as const
  noteOutcome(summary, { ...made, notes: [], wants: [] }, 'a.gcode')
  noteOutcome(
    summary,
    { ...made, source_id: 2, outcome: 'left_out', id: null, notes: ['no\u001B]0;\u009B2J\u202E'], wants: [] },
    'b\u001B[2J.gcode',
  )
  expect(hasFailed(summary)).toBe(false)
  noteMissing(summary, { kind: 'video', source_id: 1, name: '', what: 'failed', reason: 'broke off' })
  expect(hasFailed(summary)).toBe(true)
  expect(summaryLines(summary, true)).toEqual([
    '        new  changed  here already  left out  failed',
    'prints    1        0             0         1       0',
    'videos    0        0             0         0       1',
    ...['', 'failed; the same command tries them again:', '  video 1: broke off'],
    ...['', 'left out:', '  print 2 (b·[2J.gcode): no·]0;·2J·', 'dry run: nothing was changed'],
  ])
})

test.each([
  { total: 4, width: 80, line: 'prints     [##########----------] 2/4  2.0 MiB  1.0 MiB/s' },
  { total: undefined, width: 80, line: 'prints     2  2.0 MiB  1.0 MiB/s' },
  { total: 4, width: 24, line: 'prints     [##########-' },
])('progress of $total in $width columns', ({ total, width, line }) => {
  expect(progressLine({ title: 'prints', done: 2, total, bytes: 2 * 1024 ** 2, elapsedMs: 2000 }, width)).toBe(line)
})

test('progress in rows tells how many a second, and after a while how long the rest takes', () => {
  const line = (elapsedMs: number) => progressLine({ title: 'rows', done: 500, total: 2000, bytes: 0, elapsedMs }, 80)
  expect(line(2000)).toBe('rows       [#####---------------] 500/2000  250/s')
  expect(line(10_000)).toBe('rows       [#####---------------] 500/2000  50/s  30 s to go')
})

test('amounts are told as people read them', () => {
  expect([0, 1023, 1024, 5_000_000, 3 * 1024 ** 4].map(bytesText)).toEqual([
    '0 bytes',
    '1023 bytes',
    '1.0 KiB',
    '4.8 MiB',
    '3.0 TiB',
  ])
  expect([0.2, 45, 600, 9000].map(timeText)).toEqual(['1 s', '45 s', '10 min', '2.5 h'])
})

test('samples come from all over a list', () => {
  expect(spread([1, 2, 3, 4, 5, 6, 7, 8], 4)).toEqual([1, 3, 5, 7])
  expect(spread([1, 2], 4)).toEqual([1, 2])
  expect(spread([], 4)).toEqual([])
})
