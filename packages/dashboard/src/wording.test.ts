import type { Command, Printer, PrintSummary } from '@printwarden/sdk'
import { expect, test } from 'vitest'
import {
  alertWords,
  bandOf,
  commandSteps,
  controlsOf,
  gaugeState,
  hasOpenAlert,
  isUnconnected,
  printDuration,
  resultWords,
  sensitivityWords,
  stateWords,
  watchingWords,
} from './wording.js'

const flags = {
  operational: true,
  printing: false,
  cancelling: false,
  pausing: false,
  resuming: false,
  finishing: false,
  paused: false,
}

const print = (fields: Partial<PrintSummary> = {}): PrintSummary =>
  ({
    id: 1,
    started_at: '2026-03-01T10:00:00Z',
    ended_at: null,
    finished_at: null,
    cancelled_at: null,
    failed_at: null,
    alerted_at: null,
    alert_acknowledged_at: null,
    alert_muted_at: null,
    alert_overwrite: null,
    ...fields,
  }) as PrintSummary

const printer = (text: string | null, fields: Partial<Printer> = {}): Printer =>
  ({
    agent_name: 'agent',
    status: text === null ? null : { _ts: 1, state: { text, flags } },
    current_print: null,
    pic: null,
    normalized_p: 0,
    not_watching_reason: null,
    not_watching_code: null,
    ...fields,
  }) as Printer

test.each([
  { of: printer('Operational'), text: 'Ready' },
  { of: printer('Printing'), text: 'Printing' },
  { of: printer('Offline'), text: 'Offline' },
  { of: printer(null), text: 'Offline' },
  { of: printer(null, { agent_name: null }), text: 'Never connected' },
  { of: printer('Warming up'), text: 'Warming up' },
  {
    of: printer(null, { status: { _ts: 1, state: { text: 'Paused', flags: { ...flags, resuming: true } } } }),
    text: 'Resuming…',
  },
  {
    of: printer(null, { status: { _ts: 1, state: { text: 'Offline', flags: { ...flags, error: true } } } }),
    text: 'Error',
  },
])('a printer is "$text"', ({ of, text }) => {
  expect(stateWords(of).text).toBe(text)
})

test.each([
  { name: 'watched', of: printer('Printing', { current_print: print() }), state: 'live' },
  {
    name: 'paused',
    of: printer('Paused', { current_print: print(), normalized_p: 0.8, not_watching_code: 'not_printing' }),
    state: 'held',
  },
  {
    name: 'muted',
    of: printer('Printing', { current_print: print(), normalized_p: 0.8, not_watching_code: 'muted' }),
    state: 'off',
  },
  { name: 'idle', of: printer('Operational', { normalized_p: 0.8, not_watching_code: 'not_printing' }), state: 'off' },
] as const)('the gauge of a printer that is $name is $state', ({ of, state }) => {
  expect(gaugeState(of)).toBe(state)
})

test('it says that it watches, or why not in the words of the server', () => {
  expect(watchingWords(printer('Printing'))).toEqual({ text: 'Watching for failures', tone: 'good' })
  const muted = printer('Printing', { not_watching_code: 'muted', not_watching_reason: 'Muted.' })
  expect(watchingWords(muted)).toEqual({ text: 'Muted.', tone: 'off' })
})

test.each([
  [0, 'fine'],
  [1 / 3, 'fine'],
  [0.34, 'odd'],
  [2 / 3, 'odd'],
  [0.67, 'failing'],
  [1, 'failing'],
])('a gauge of %d is %s', (value, band) => {
  expect(bandOf(value)).toBe(band)
})

const ALERTED = { alerted_at: '2026-03-01T11:00:00Z' }
test.each([
  { name: 'no print', of: null, is: false },
  { name: 'no alert', of: print(), is: false },
  { name: 'an alert', of: print(ALERTED), is: true },
  {
    name: 'an alert that was answered',
    of: print({ ...ALERTED, alert_acknowledged_at: '2026-03-01T11:05:00Z' }),
    is: false,
  },
  {
    name: 'another alert after the answer',
    of: print({ ...ALERTED, alert_acknowledged_at: '2026-03-01T10:30:00Z' }),
    is: true,
  },
  { name: 'a muted print', of: print({ ...ALERTED, alert_muted_at: '2026-03-01T11:01:00Z' }), is: false },
])('open alert, $name: $is', ({ of, is }) => {
  expect(hasOpenAlert(of)).toBe(is)
})

test.each([
  { of: printer('Operational'), can: '' },
  { of: printer('Printing', { current_print: print() }), can: 'pause cancel' },
  { of: printer('Paused', { current_print: print() }), can: 'resume cancel' },
  { of: printer('Pausing', { current_print: print() }), can: '' },
  { of: printer(null, { current_print: print() }), can: '' },
])('$of.status.state.text allows "$can"', ({ of, can }) => {
  const controls = controlsOf(of)
  const allowed = [controls.canPause && 'pause', controls.canResume && 'resume', controls.canCancel && 'cancel']
  expect(allowed.filter(Boolean).join(' ')).toBe(can)
  expect(controls.hint === undefined).toBe(can !== '')
})

test('a printer that only its camera tells of is watched or not, and cannot be controlled', () => {
  const byPicture = (text: string, printing = false): Printer => {
    const { status, ...rest } = printer(text, { current_print: print() })
    if (status === null) return { ...rest, status }
    const state = { ...status.state, flags: { ...flags, printing } }
    return { ...rest, status: { ...status, state, watched_by: 'picture' } }
  }
  const printing = byPicture('Printing', true)
  expect(stateWords(printing).text).toBe('Being watched')
  expect(stateWords(byPicture('Operational')).text).toBe('Not being watched')
  expect(controlsOf(printing)).toMatchObject({ canPause: false, canCancel: false })
  expect(controlsOf(printing).hint).toContain('at the printer itself')
})

const command = (fields: Partial<Command>): Command =>
  ({
    cmd: 'pause',
    initiator: 'web',
    status: 'sent',
    error: null,
    created_at: 'a',
    acked_at: null,
    done_at: null,
    ...fields,
  }) as Command

test.each([
  { of: command({}), steps: 'Sent:done, Waiting for the agent:now, Paused:ahead' },
  {
    of: command({ status: 'acked', acked_at: 'b' }),
    steps: 'Sent:done, Accepted by the agent:done, Waiting for the printer:now',
  },
  {
    of: command({ status: 'done', acked_at: 'b', done_at: 'c' }),
    steps: 'Sent:done, Accepted by the agent:done, Paused:done',
  },
  { of: command({ status: 'done', done_at: 'c' }), steps: 'Sent:done, Paused:done' },
  { of: command({ status: 'failed', error: 'not printing' }), steps: 'Sent:done, Refused: not printing:failed' },
  { of: command({ status: 'timed_out' }), steps: 'Sent:done, The agent did not answer:failed' },
  {
    of: command({ status: 'timed_out', acked_at: 'b' }),
    steps: 'Sent:done, Accepted by the agent:done, The printer did not follow:failed',
  },
])('a command that is $of.status: $steps', ({ of, steps }) => {
  expect(
    commandSteps(of)
      .steps.map((step) => `${step.text}:${step.state}`)
      .join(', '),
  ).toBe(steps)
})

test('an automatic command says so', () => {
  expect(commandSteps(command({ initiator: 'system' })).title).toBe('Pause (automatic)')
})

const onPaused = (id: number): Printer => {
  const status = { _ts: 1, state: { text: 'Paused', flags: { ...flags, paused: true } } } as Printer['status']
  return printer('Paused', { current_print: print({ id }), status })
}

test.each([
  { of: print(), on: undefined, text: 'Running' },
  { of: print(), on: printer('Printing', { current_print: print() }), text: 'Running' },
  { of: print(), on: printer(null, { current_print: print() }), text: 'Running' },
  { of: print(), on: onPaused(1), text: 'Paused' },
  { of: print(), on: onPaused(2), text: 'Running' },
  { of: print({ finished_at: 'x' }), on: onPaused(1), text: 'Finished' },
  { of: print({ cancelled_at: 'x' }), on: undefined, text: 'Cancelled' },
  { of: print({ cancelled_at: 'x', failed_at: 'x' }), on: undefined, text: 'Failed' },
])('a print that is $text', ({ of, on, text }) => {
  expect(resultWords(of, on).text).toBe(text)
})

test.each([
  { of: print(), text: undefined },
  { of: print(ALERTED), text: 'Alert' },
  { of: print({ ...ALERTED, alert_overwrite: 'FAILED' }), text: 'Alert, confirmed' },
  { of: print({ ...ALERTED, alert_overwrite: 'NOT_FAILED' }), text: 'False alarm' },
])('its alert: $text', ({ of, text }) => {
  expect(alertWords(of)?.text).toBe(text)
})

const NOW = Date.parse('2026-03-01T12:00:00Z') / 1000
test.each([
  { of: print(), text: '2 h 00 min' },
  { of: print({ ended_at: '2026-03-01T10:20:00Z' }), text: '20 min' },
  { of: print({ started_at: null }), text: undefined },
])('it took $text', ({ of, text }) => {
  expect(printDuration(of, NOW)).toBe(text)
})

test.each([
  [0.8, 'Low'],
  [1, 'Normal'],
  [1.2, 'High'],
])('a sensitivity of %d is %s', (value, words) => {
  expect(sensitivityWords(value)).toMatch(words)
})

test('a printer is to be connected when its agent is there and says that it is not', () => {
  expect(isUnconnected(printer('Offline'))).toBe(true)
  expect(isUnconnected(printer('Operational'))).toBe(false)
  expect(isUnconnected(printer(null))).toBe(false)
})
