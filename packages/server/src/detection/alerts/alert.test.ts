import type { ActionOnFailure } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import {
  type AlertFacts,
  afterStep,
  alertStateOf,
  type AlertStep,
  COOLDOWN_MS,
  judgeFrame,
  outcomeOf,
  PAUSE_RETRY_MS,
} from './alert.js'
import { alertWording } from './alert-wording.js'
import type { Level } from '../smoothing/smoothing-state.js'

const NOW = 1_795_000_000_000
const LONG_AGO = NOW - 3_600_000
const JUST_NOW = NOW - COOLDOWN_MS + 1
const RESTED = NOW - COOLDOWN_MS

function facts(changes: Partial<AlertFacts> = {}): AlertFacts {
  return {
    alerted_at: null,
    alert_acknowledged_at: null,
    alert_muted_at: null,
    paused_at: null,
    auto_paused_at: null,
    rearmed_at: null,
    ...changes,
  }
}

/** Paused by the server an hour ago, and answered. */
const answered = {
  alerted_at: LONG_AGO,
  paused_at: LONG_AGO,
  auto_paused_at: LONG_AGO,
  alert_acknowledged_at: LONG_AGO,
}

test.each([
  ['quiet', facts()],
  ['warned', facts({ alerted_at: LONG_AGO })],
  ['alerted', facts({ alerted_at: LONG_AGO, auto_paused_at: LONG_AGO, paused_at: LONG_AGO })],
  ['acknowledged', facts(answered)],
  ['warned', facts({ ...answered, alerted_at: RESTED })],
  ['muted', facts({ ...answered, alert_muted_at: LONG_AGO })],
] as const)('%s', (state, from) => {
  expect(alertStateOf(from)).toBe(state)
})

interface Row {
  readonly name: string
  readonly from: AlertFacts
  readonly level: Level
  readonly action?: ActionOnFailure
  readonly triedAt?: number
  readonly refused?: boolean
  readonly step: AlertStep['type'] | 'warning' | 'retry' | 'pause, told only when delivered'
}

const ROWS: Row[] = [
  { name: 'fine asks for nothing', from: facts(), level: 'fine', step: 'nothing' },
  { name: 'a warning is told', from: facts(), level: 'warning', step: 'warning' },
  { name: 'a failure pauses', from: facts(), level: 'failing', step: 'pause' },
  { name: 'without action a failure is only told', from: facts(), level: 'failing', action: 'NONE', step: 'alert' },
  { name: 'a muted print is left alone', from: facts({ alert_muted_at: LONG_AGO }), level: 'failing', step: 'nothing' },
  {
    name: 'an unanswered warning is not repeated',
    from: facts({ alerted_at: LONG_AGO }),
    level: 'warning',
    step: 'nothing',
  },
  {
    name: 'nor raised to a failure, where nothing is done about it',
    from: facts({ alerted_at: LONG_AGO }),
    level: 'failing',
    action: 'NONE',
    step: 'nothing',
  },
  {
    name: 'an unanswered warning does not hold up the pause',
    from: facts({ alerted_at: JUST_NOW }),
    level: 'failing',
    step: 'pause, told only when delivered',
  },
  { name: 'an answered alert is told again', from: facts(answered), level: 'warning', step: 'warning' },
  { name: 'but a print is paused once', from: facts(answered), level: 'failing', step: 'alert' },
  {
    name: 'an unanswered pause is not repeated',
    from: facts({ ...answered, alert_acknowledged_at: null }),
    level: 'failing',
    step: 'nothing',
  },
  {
    name: 'the user may allow another pause',
    from: facts({ ...answered, rearmed_at: RESTED }),
    level: 'failing',
    step: 'pause',
  },
  {
    name: 'also without having answered the alert',
    from: facts({ ...answered, alert_acknowledged_at: null, rearmed_at: RESTED }),
    level: 'failing',
    step: 'pause, told only when delivered',
  },
  {
    name: 'but not in the first moments after it',
    from: facts({ ...answered, rearmed_at: JUST_NOW }),
    level: 'failing',
    step: 'nothing',
  },
  {
    name: 'what was allowed before the last pause is used up',
    from: facts({ ...answered, rearmed_at: LONG_AGO - 1 }),
    level: 'failing',
    step: 'alert',
  },
  {
    name: 'after an answer there is a rest',
    from: facts({ ...answered, alert_acknowledged_at: JUST_NOW }),
    level: 'failing',
    step: 'nothing',
  },
  {
    name: 'and then a first pause comes',
    from: facts({ alerted_at: LONG_AGO, alert_acknowledged_at: RESTED }),
    level: 'failing',
    step: 'pause',
  },
  {
    name: 'an alert that was answered at once is not repeated at once',
    from: facts({ alerted_at: JUST_NOW, alert_acknowledged_at: JUST_NOW }),
    level: 'warning',
    step: 'nothing',
  },
  {
    name: 'a pause that nobody took is tried again',
    from: facts({ alerted_at: LONG_AGO }),
    level: 'failing',
    triedAt: NOW - PAUSE_RETRY_MS,
    step: 'pause, told only when delivered',
  },
  {
    name: 'a pause that the printer refused does not count',
    from: facts({ alerted_at: LONG_AGO, auto_paused_at: NOW - PAUSE_RETRY_MS }),
    level: 'failing',
    refused: true,
    step: 'retry',
  },
  {
    name: 'it too is not tried again with every frame',
    from: facts({ alerted_at: LONG_AGO, auto_paused_at: NOW - PAUSE_RETRY_MS + 1 }),
    level: 'failing',
    refused: true,
    step: 'nothing',
  },
  {
    name: 'nor right after the user has answered',
    from: facts({ ...answered, alert_acknowledged_at: JUST_NOW }),
    level: 'failing',
    refused: true,
    step: 'nothing',
  },
  {
    name: 'nor when the user does not want pauses',
    from: facts({ alerted_at: LONG_AGO, auto_paused_at: LONG_AGO }),
    level: 'failing',
    action: 'NONE',
    refused: true,
    step: 'nothing',
  },
  {
    name: 'though not with every frame',
    from: facts({ alerted_at: LONG_AGO }),
    level: 'failing',
    triedAt: NOW - PAUSE_RETRY_MS + 1,
    step: 'nothing',
  },
]

function named(step: AlertStep): Row['step'] {
  if (step.type === 'alert') return step.is_warning ? 'warning' : 'alert'
  if (step.type === 'pause' && step.isRetry) return 'retry'
  if (step.type === 'pause') return step.tellIfUndelivered ? 'pause' : 'pause, told only when delivered'
  return step.type
}

test.each(ROWS)('$name', ({ from, level, action = 'PAUSE', triedAt = null, refused = false, step }) => {
  expect(named(judgeFrame(from, level, action, NOW, triedAt, refused))).toBe(step)
})

test.each([
  { name: 'nothing changes nothing', step: { type: 'nothing' }, delivered: false, changes: {} },
  {
    name: 'a warning is remembered',
    step: { type: 'alert', is_warning: true },
    delivered: false,
    changes: { alerted_at: NOW },
  },
  {
    name: 'of a pause that is tried again only the time is',
    step: { type: 'pause', tellIfUndelivered: false, isRetry: true },
    delivered: true,
    changes: { auto_paused_at: NOW },
  },
  {
    name: 'a first pause is',
    step: { type: 'pause', tellIfUndelivered: false, isRetry: false },
    delivered: true,
    changes: { alerted_at: NOW, paused_at: NOW, auto_paused_at: NOW },
  },
  {
    name: 'a later pause keeps the time of the first',
    from: facts({ paused_at: LONG_AGO, auto_paused_at: LONG_AGO }),
    step: { type: 'pause', tellIfUndelivered: true, isRetry: false },
    delivered: true,
    changes: { alerted_at: NOW, paused_at: LONG_AGO, auto_paused_at: NOW },
  },
  {
    name: 'a pause that nobody took is an alert, not a pause',
    step: { type: 'pause', tellIfUndelivered: true, isRetry: false },
    delivered: false,
    changes: { alerted_at: NOW },
  },
  {
    name: 'and nothing at all when the user knows already',
    step: { type: 'pause', tellIfUndelivered: false, isRetry: false },
    delivered: false,
    changes: {},
  },
] as { name: string; from?: AlertFacts; step: AlertStep; delivered: boolean; changes: Partial<AlertFacts> }[])(
  '$name',
  ({ from = facts(), step, delivered, changes }) => {
    expect(afterStep(from, step, delivered, NOW)).toEqual(changes)
  },
)

test.each([
  ['warning', { type: 'alert', is_warning: true }, false, 'PAUSE'],
  ['paused', { type: 'pause', tellIfUndelivered: true, isRetry: false }, true, 'PAUSE'],
  ['undelivered', { type: 'pause', tellIfUndelivered: true, isRetry: false }, false, 'PAUSE'],
  ['not_wanted', { type: 'alert', is_warning: false }, false, 'NONE'],
  ['used_up', { type: 'alert', is_warning: false }, false, 'PAUSE'],
] as const)('told as %s', (outcome, step, delivered, action) => {
  expect(outcomeOf(step, delivered, action)).toBe(outcome)
})

test('each outcome is told in words of its own, with the name of the file', () => {
  const outcomes = ['warning', 'paused', 'undelivered', 'not_wanted', 'used_up'] as const
  const wordings = outcomes.map((outcome) => alertWording(outcome, 'cube.gcode'))
  expect(new Set(wordings.map(({ event_title }) => event_title)).size).toBe(outcomes.length)
  for (const { event_text } of wordings)
    expect(event_text).toMatch(/^cube\.gcode (may|seems to) be failing\. [A-Z].*\.$/)
  expect(alertWording('paused', '').event_text).toMatch(/^The print seems/)
})

test('where a print is to be cancelled in the end, it is paused first, like any other', () => {
  const pause: AlertStep = { type: 'pause', tellIfUndelivered: true, isRetry: false }
  expect(judgeFrame(facts(), 'failing', 'CANCEL', NOW, null)).toEqual(pause)
  expect(judgeFrame(facts(), 'warning', 'CANCEL', NOW, null)).toEqual({ type: 'alert', is_warning: true })
  expect(outcomeOf({ type: 'alert', is_warning: false }, false, 'CANCEL')).toBe('used_up')
})
