import { flagsOf, type StateText, StatusMessage } from '@printwarden/protocol'
import { describe, expect, test } from 'vitest'
import { MAX_EVENT_AGE_MS, reportOf, statusTime } from './report.js'

const AT = 1_795_251_640_000
const RECEIPT = { at: AT, late: false, isRepeated: false, recorded: undefined }

function message(
  text: StateText,
  changes: Record<string, unknown> = {},
  top: Record<string, unknown> = {},
): StatusMessage {
  const status = { _ts: AT / 1000, state: { text, flags: flagsOf(text) }, ...changes }
  return StatusMessage.parse({ current_print_ts: 100, status, ...top })
}

const file = { name: 'a.gcode', path: 'x/a.gcode', display: 'A' }

describe('when the status was collected', () => {
  test.each([
    { name: 'as the agent says', _ts: AT / 1000 - 5, expected: AT - 5000 },
    { name: 'a clock that is a little ahead', _ts: AT / 1000 + 60, expected: AT + 60_000 },
    { name: 'a clock that is far ahead counts as now', _ts: AT / 1000 + 61, expected: AT },
    { name: 'a clock that is far behind', _ts: 12.5, expected: 12_500 },
    { name: 'the largest number', _ts: 1e308, expected: AT },
  ])('$name', ({ _ts, expected }) => {
    expect(statusTime(message('Operational', { _ts }).status, AT)).toBe(expected)
  })
})

describe('whether it is paused', () => {
  test.each([
    { text: 'Printing', expected: false },
    { text: 'Paused', expected: true },
    { text: 'Pausing', expected: undefined },
    { text: 'Cancelling', expected: undefined },
    { text: 'Operational', expected: undefined },
    { text: 'Offline', expected: undefined },
  ] as const)('$text', ({ text, expected }) => {
    expect(reportOf(message(text), RECEIPT).paused).toBe(expected)
  })

  test('a printer that is pausing still has the flag printing', () => {
    const flags = { ...flagsOf('Pausing'), printing: true }
    expect(reportOf(message('Pausing', { state: { text: 'Pausing', flags } }), RECEIPT).paused).toBeUndefined()
  })
})

describe('the event', () => {
  const event = (fields: object) =>
    reportOf(message('Printing', {}, { event: { event_type: 'PrintPaused', ...fields } }), RECEIPT).event

  test.each([
    { name: 'now', fields: {}, at: AT },
    { name: 'a while ago', fields: { age_ms: 1500.4 }, at: AT - 1500 },
    { name: 'no longer ago than a year', fields: { age_ms: 1e300 }, at: AT - MAX_EVENT_AGE_MS },
  ])('$name', ({ fields, at }) => {
    expect(event(fields)).toEqual({ type: 'PrintPaused', at })
  })

  test('one that was stored before is none', () => {
    const report = reportOf(message('Printing', {}, { event: { event_type: 'PrintPaused' } }), {
      ...RECEIPT,
      isRepeated: true,
    })
    expect(report.event).toBeUndefined()
  })
})

describe('the file name', () => {
  test.each([
    { name: 'of the job', changes: { job: { file } }, top: {}, expected: 'a.gcode' },
    {
      name: 'of the event first',
      changes: { job: { file } },
      top: { event: { event_type: 'PrintStarted', data: { name: 'b.gcode' } } },
      expected: 'b.gcode',
    },
    { name: 'none', changes: {}, top: {}, expected: undefined },
    { name: 'without NUL', changes: { job: { file: { ...file, name: 'a\0b' } } }, top: {}, expected: 'ab' },
    {
      name: 'not too long',
      changes: { job: { file: { ...file, name: 'x'.repeat(5000) } } },
      top: {},
      expected: 'x'.repeat(1000),
    },
  ])('$name', ({ changes, top, expected }) => {
    expect(reportOf(message('Printing', changes, top), RECEIPT).filename).toBe(expected)
  })
})

describe('the progress', () => {
  const tool = (length: unknown) => ({ file, filament: { tool0: { length } } })

  test.each([
    { name: 'nothing told', changes: {}, expected: { completion: null, print_time: null, filament_used: null } },
    {
      name: 'as told',
      changes: { progress: { completion: 50, printTime: 61.5, filamentUsed: 12 } },
      expected: { completion: 50, print_time: 61.5, filament_used: 12 },
    },
    {
      name: 'nulls',
      changes: { progress: { completion: null, printTime: null } },
      expected: { completion: null, print_time: null, filament_used: null },
    },
    {
      name: 'filament by the share of the file',
      changes: { progress: { completion: 25 }, job: tool(400) },
      expected: { completion: 25, print_time: null, filament_used: 100 },
    },
    {
      name: 'filament of several tools',
      changes: {
        progress: { completion: 100 },
        job: { file, filament: { tool0: { length: 1 }, tool1: { length: 2 } } },
      },
      expected: { completion: 100, print_time: null, filament_used: 3 },
    },
    {
      name: 'filament counted by the host first',
      changes: { progress: { completion: 25, filamentUsed: 7 }, job: tool(400) },
      expected: { completion: 25, print_time: null, filament_used: 7 },
    },
    {
      name: 'no share without a completion',
      changes: { job: tool(400) },
      expected: { completion: null, print_time: null, filament_used: null },
    },
    {
      name: 'numbers that make no sense',
      changes: { progress: { completion: 250, printTime: -1, filamentUsed: 'much' }, job: tool(10) },
      expected: { completion: 250, print_time: null, filament_used: 10 },
    },
    {
      name: 'numbers beyond all measure',
      changes: { progress: { completion: 1, printTime: 1e300, filamentUsed: 1e300 }, job: tool(1e300) },
      expected: { completion: 1, print_time: null, filament_used: null },
    },
    {
      name: 'a sum beyond all measure',
      changes: {
        progress: { completion: 100 },
        job: { file, filament: { tool0: { length: 1e12 }, tool1: { length: 1e12 } } },
      },
      expected: { completion: 100, print_time: null, filament_used: null },
    },
  ])('$name', ({ changes, expected }) => {
    expect(reportOf(message('Printing', changes), RECEIPT).progress).toEqual(expected)
  })
})

test('Offline is told apart', () => {
  expect(reportOf(message('Offline'), RECEIPT).offline).toBe(true)
  expect(reportOf(message('Operational'), RECEIPT).offline).toBe(false)
})
