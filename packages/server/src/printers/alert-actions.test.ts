import { expect, test } from 'vitest'
import { acknowledge, answerAlert, hasStandingAlert, muteWording } from './alert-actions.js'

const quiet = { alerted_at: null, alert_acknowledged_at: null }
const alerted = { alerted_at: 1000, alert_acknowledged_at: null }
const acknowledged = { alerted_at: 1000, alert_acknowledged_at: 2000 }
const alertedAgain = { alerted_at: 3000, alert_acknowledged_at: 2000 }

test.each([
  { name: 'no alert', print: quiet, stands: false },
  { name: 'an alert', print: alerted, stands: true },
  { name: 'an acknowledged alert', print: acknowledged, stands: false },
  { name: 'another alert after that', print: alertedAgain, stands: true },
])('$name stands: $stands', ({ print, stands }) => {
  expect(hasStandingAlert(print)).toBe(stands)
})

test.each([
  { name: 'there is no alert', print: quiet, overwrite: 'FAILED', changes: undefined },
  {
    name: 'an alert stands',
    print: alerted,
    overwrite: 'FAILED',
    changes: { alert_acknowledged_at: 5000, alert_overwrite: 'FAILED' },
  },
  {
    name: 'an alert stands and nothing is said of it',
    print: alertedAgain,
    overwrite: undefined,
    changes: { alert_acknowledged_at: 5000, alert_overwrite: null },
  },
  { name: 'again, with nothing to say', print: acknowledged, overwrite: undefined, changes: {} },
  {
    name: 'again, with a new judgement',
    print: acknowledged,
    overwrite: 'NOT_FAILED',
    changes: { alert_overwrite: 'NOT_FAILED' },
  },
] as const)('acknowledging: $name', ({ print, overwrite, changes }) => {
  expect(acknowledge(print, overwrite, 5000)).toEqual(changes)
})

test.each([
  { name: 'no alert, no answer', print: quiet, changes: {} },
  { name: 'an answered alert is not answered again', print: acknowledged, changes: {} },
  {
    name: 'a standing alert is answered',
    print: alerted,
    changes: { alert_acknowledged_at: 5000, alert_overwrite: 'NOT_FAILED' },
  },
])('resuming: $name', ({ print, changes }) => {
  expect(answerAlert(print, 'NOT_FAILED', 5000)).toEqual(changes)
})

test('muting is a warning, un-muting is not', () => {
  expect(muteWording(true, 'boat.gcode')).toMatchObject({ event_type: 'ALERT_MUTED', event_class: 'WARNING' })
  expect(muteWording(false, 'boat.gcode')).toMatchObject({ event_type: 'ALERT_UNMUTED', event_class: 'INFO' })
})
