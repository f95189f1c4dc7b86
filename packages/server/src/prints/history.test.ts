import { expect, test } from 'vitest'
import { begin, type TrackedPrint } from './tracked-print.js'
import { historyLine } from './history.js'

const started = begin({ current_print_ts: 1, filename: 'a.gcode', started_at: 0 }).print
const print = (changes: Partial<TrackedPrint>): TrackedPrint => ({ ...started, ...changes })

test.each([
  { type: 'STARTED', about: print({}), expected: ['INFO', 'Print started', 'a.gcode is being printed.'] },
  {
    type: 'STARTED',
    about: print({ filename: '' }),
    expected: ['INFO', 'Print started', 'The print is being printed.'],
  },
  { type: 'PAUSED', about: print({ state: 'paused' }), expected: ['INFO', 'Print paused', 'a.gcode is paused.'] },
  { type: 'RESUMED', about: print({}), expected: ['INFO', 'Print resumed', 'a.gcode goes on.'] },
  { type: 'ENDED', about: print({ state: 'finished' }), expected: ['SUCCESS', 'Print finished', 'a.gcode is done.'] },
  {
    type: 'ENDED',
    about: print({ state: 'cancelled' }),
    expected: ['WARNING', 'Print cancelled', 'a.gcode was cancelled.'],
  },
  { type: 'ENDED', about: print({ state: 'failed' }), expected: ['ERROR', 'Print failed', 'a.gcode failed.'] },
  {
    type: 'ENDED',
    about: print({ state: 'cancelled', end_assumed: true }),
    expected: ['WARNING', 'Print cancelled', 'a.gcode was cancelled. The agent did not say how it ended.'],
  },
] as const)('$type: $expected', ({ type, about, expected: [event_class, event_title, event_text] }) => {
  expect(historyLine({ type, at: 0 }, about)).toEqual({ event_type: type, event_class, event_title, event_text })
})
