import { expect, test } from 'vitest'
import { PAUSE_TIMEOUT_MS } from '../../printers/commands.js'
import type { AlertFacts } from './alert.js'
import { isUnrecorded, standsByPause, type SystemPause, UNTOLD_AFTER_MS } from './untold-pause.js'

const NOW = 1_795_000_000_000
const PAUSED_AT = NOW - UNTOLD_AFTER_MS
const BEFORE = PAUSED_AT - 60_000
const SINCE = PAUSED_AT + 1_000

const OURS: SystemPause = { status: 'done', reason: 'failing', created_at: PAUSED_AT }
const QUIET = {
  started_at: PAUSED_AT - 3_600_000,
  ...{ alerted_at: null, alert_acknowledged_at: null, alert_muted_at: null },
  ...{ paused_at: null, auto_paused_at: null, rearmed_at: null },
}

interface Row {
  readonly name: string
  readonly facts?: Partial<AlertFacts & { started_at: number }>
  readonly pause?: Partial<SystemPause> | null
  readonly is: boolean
}

test.each<Row>([
  { name: 'nothing was recorded of it', is: true },
  { name: 'its answer was lost with its server', pause: { status: 'timed_out' }, is: true },
  { name: 'there was a warning before', facts: { alerted_at: BEFORE }, is: true },
  {
    name: 'it is the second one, which the user has allowed',
    facts: { alerted_at: BEFORE, auto_paused_at: BEFORE, alert_acknowledged_at: BEFORE + 1, rearmed_at: BEFORE + 1 },
    is: true,
  },
  { name: 'there was none', pause: null, is: false },
  { name: 'it was for another reason', pause: { reason: null }, is: false },
  { name: 'no agent took it', pause: { status: 'failed' }, is: false },
  { name: 'it was of an earlier print', facts: { started_at: PAUSED_AT + 1 }, is: false },
  { name: 'it may be recorded yet', pause: { created_at: PAUSED_AT + 1 }, is: false },
  { name: 'it was recorded', facts: { alerted_at: SINCE, auto_paused_at: SINCE }, is: false },
  { name: 'it was told that no agent took it', facts: { alerted_at: SINCE }, is: false },
  { name: 'another node recorded its own first', facts: { alerted_at: BEFORE, auto_paused_at: BEFORE }, is: false },
  {
    name: 'the warning before was answered since',
    facts: { alerted_at: BEFORE, alert_acknowledged_at: SINCE },
    is: false,
  },
  { name: 'another pause was allowed since', facts: { rearmed_at: SINCE }, is: false },
  { name: 'the user wants to hear nothing of the print', facts: { alert_muted_at: SINCE }, is: false },
])('unrecorded: $name', ({ facts, pause, is }) => {
  expect(isUnrecorded({ ...QUIET, ...facts }, pause === null ? undefined : { ...OURS, ...pause }, NOW)).toBe(is)
})

test.each([
  { name: 'it was seen at once', last: { event_type: 'PAUSED', created_at: PAUSED_AT + 500 }, is: true },
  { name: 'by a clock that is behind', last: { event_type: 'PAUSED', created_at: PAUSED_AT - 30_000 }, is: true },
  { name: 'a printer obeyed late', last: { event_type: 'PAUSED', created_at: PAUSED_AT + PAUSE_TIMEOUT_MS }, is: true },
  {
    name: 'somebody paused it later',
    last: { event_type: 'PAUSED', created_at: PAUSED_AT + PAUSE_TIMEOUT_MS + 1 },
    is: false,
  },
  { name: 'it was paused long before', last: { event_type: 'PAUSED', created_at: PAUSED_AT - 60_001 }, is: false },
  { name: 'it went on', last: { event_type: 'RESUMED', created_at: SINCE }, is: false },
  { name: 'nothing was seen', last: undefined, is: false },
  { name: 'it is told to go on', last: { event_type: 'PAUSED', created_at: SINCE }, isMoved: true, is: false },
])('stands by it: $name', ({ last, isMoved = false, is }) => {
  expect(standsByPause(OURS, last, isMoved)).toBe(is)
})
