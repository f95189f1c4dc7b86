import type { PrinterStatus } from '@printwarden/sdk'
import { expect, test } from 'vitest'
import { columnsOf, heatSample, joined, withSample } from './samples.js'

const at = (...times: number[]) => times.map((ts) => ({ ts }))

test.each([
  { name: 'a sample is put at the end', samples: at(1, 2), add: 3, to: at(1, 2, 3) },
  { name: 'one of the same time is left out', samples: at(1, 2), add: 2, to: at(1, 2) },
  { name: 'one from the past is left out', samples: at(1, 2), add: 1, to: at(1, 2) },
  { name: 'those that are too old go', samples: at(1, 50), add: 110, to: at(50, 110) },
  { name: 'the oldest goes when there are too many', samples: at(1, 2, 3, 4), add: 5, to: at(2, 3, 4, 5) },
])('$name', ({ samples, add, to }) => {
  expect(withSample(samples, { ts: add }, 100, 4)).toEqual(to)
})

test.each([
  { older: at(1, 2), newer: at(2, 3), to: at(1, 2, 3) },
  { older: at(), newer: at(2, 3), to: at(2, 3) },
  { older: at(1, 2), newer: at(), to: at(1, 2) },
])('$older and $newer joined', ({ older, newer, to }) => {
  expect(joined(older, newer)).toEqual(to)
})

const status = (temperatures: PrinterStatus['temperatures']) =>
  ({ _ts: 1, ...(temperatures === undefined ? {} : { temperatures }) }) as PrinterStatus

test.each([
  { name: 'no heaters, no sample', from: status(undefined), to: undefined },
  {
    name: 'a heater that is off has no target',
    from: status({ tool0: { actual: 30, target: 0 }, bed: { actual: 60.5, target: 60 } }),
    to: { ts: 9, tool: 30, toolTarget: null, bed: 60.5, bedTarget: 60, chamber: null },
  },
  {
    name: 'what is not measured is null',
    from: status({ chamber: { actual: null } }),
    to: { ts: 9, tool: null, toolTarget: null, bed: null, bedTarget: null, chamber: null },
  },
])('$name', ({ from, to }) => {
  expect(heatSample(from, 9)).toEqual(to)
})

test('columns are read side by side, and a long silence breaks the line', () => {
  const samples = [
    { ts: 10, a: 1 },
    { ts: 20, a: 2 },
    { ts: 200, a: 3 },
  ]
  expect(columnsOf(samples, [(sample) => sample.a, () => null], 60)).toEqual([
    [10, 20, 50, 200],
    [1, 2, null, 3],
    [null, null, null, null],
  ])
})

test('no samples make empty columns', () => {
  expect(columnsOf([], [() => 1], 60)).toEqual([[], []])
})
