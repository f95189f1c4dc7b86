import { expect, test } from 'vitest'
import { isWishDue, wantedIntervalMs } from '../cameras/cadence.js'
import { isSelfTestDue, jitterOf } from './self-test.js'
import { newCameraWatch } from '../../printers/watch-state.js'
import { backWording, CANCEL_AFTER_MS, isBroken, isDue, isFirstToReach, lostWording, shouldCancel } from './watchdog.js'

const NOW = 1_795_000_000_000
const HOUR = 3_600_000

test('what the user chose is no broken watching', () => {
  expect([isBroken(null), isBroken('muted'), isBroken('disabled'), isBroken('not_printing')]).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect([isBroken('offline'), isBroken('camera_dark'), isBroken('not_analysed')]).toEqual([true, true, true])
})

test('a lost agent has 90 seconds to come back, a camera that cannot see is told at once', () => {
  expect(isDue('offline', NOW - 80_000, NOW - HOUR, NOW)).toBe(false)
  expect(isDue('offline', NOW - 90_000, NOW - HOUR, NOW)).toBe(true)
  expect(isDue('camera_covered', NOW, NOW - HOUR, NOW)).toBe(true)
})

test('right after the start of the server nothing is told', () => {
  expect(isDue('camera_covered', NOW - HOUR, NOW - 60_000, NOW)).toBe(false)
})

test('the wording names the print, the reason and what to do', () => {
  expect(lostWording('camera_dark', 'boat.gcode')).toMatchObject({
    event_type: 'WATCHING_LOST',
    event_text: 'boat.gcode: The camera cannot see: its picture is dark. Switch a light on.',
  })
  expect(backWording('boat.gcode').event_text).toBe('boat.gcode is watched again.')
})

const cancelAt = (created_at: number, status: string, acked_at: number | null = null) => ({
  status,
  created_at,
  acked_at,
})

const paused = {
  action: 'CANCEL',
  auto_paused_at: NOW - CANCEL_AFTER_MS,
  alert_acknowledged_at: null,
  rearmed_at: null,
  alert_muted_at: null,
  isPaused: true,
  isResumed: false,
  cancels: [],
}

test.each([
  { name: 'nobody answered for ten minutes', facts: {}, isCancelled: true },
  { name: 'the printer is only to be paused', facts: { action: 'PAUSE' }, isCancelled: false },
  { name: 'the ten minutes are not over', facts: { auto_paused_at: NOW - CANCEL_AFTER_MS + 1 }, isCancelled: false },
  { name: 'the server did not pause it', facts: { auto_paused_at: null }, isCancelled: false },
  { name: 'the print goes on', facts: { isPaused: false }, isCancelled: false },
  { name: 'it was resumed at the printer, and is paused again', facts: { isResumed: true }, isCancelled: false },
  { name: 'the user has answered', facts: { alert_acknowledged_at: NOW - 1000 }, isCancelled: false },
  { name: 'the user allowed another pause', facts: { rearmed_at: NOW - 1000 }, isCancelled: false },
  { name: 'the print is muted', facts: { alert_muted_at: NOW }, isCancelled: false },
  { name: 'it was cancelled', facts: { cancels: [cancelAt(NOW - HOUR, 'acked', NOW - HOUR)] }, isCancelled: false },
  {
    name: 'the agent took the last cancel, and it had no effect',
    facts: { cancels: [cancelAt(NOW - HOUR, 'timed_out', NOW - HOUR)] },
    isCancelled: false,
  },
  { name: 'the last cancel is under way', facts: { cancels: [cancelAt(NOW - 60_000, 'sent')] }, isCancelled: false },
  { name: 'no agent took the last cancel', facts: { cancels: [cancelAt(NOW - 60_000, 'failed')] }, isCancelled: true },
  {
    name: 'the last cancel was lost on its way',
    facts: { cancels: [cancelAt(NOW - 60_000, 'timed_out')] },
    isCancelled: true,
  },
  {
    name: 'all cancels were lost',
    facts: { cancels: Array.from({ length: 5 }, () => cancelAt(NOW - 60_000, 'timed_out')) },
    isCancelled: false,
  },
  {
    name: 'the last cancel was lost a moment ago',
    facts: { cancels: [cancelAt(NOW - 59_000, 'timed_out')] },
    isCancelled: false,
  },
])('of a print that the server paused: $name', ({ facts, isCancelled }) => {
  expect(shouldCancel({ ...paused, ...facts }, NOW)).toBe(isCancelled)
})

test('a cancel is told when it is the first that an agent was handed', () => {
  expect(isFirstToReach([])).toBe(true)
  expect(isFirstToReach([cancelAt(NOW, 'failed')])).toBe(true)
  expect(isFirstToReach([cancelAt(NOW, 'failed'), cancelAt(NOW, 'timed_out')])).toBe(false)
  expect(isFirstToReach([cancelAt(NOW, 'failed', NOW)])).toBe(false)
})

const camera = {
  ...newCameraWatch({ camera_id: 7, name: '', is_primary: true, detection_enabled: true }),
  frame_at: NOW,
}
const passedAt = (at: number) => ({
  at,
  passed: true,
  score: 0.9,
  threshold: 0.5,
  took_ms: 40,
  model: 'm',
  error: null,
})

test('a self-test is due at the start of a print, spread over a minute, and once a day', () => {
  const tested = { ...camera, self_test: passedAt(NOW - HOUR) }
  expect(isSelfTestDue(tested, null, NOW)).toBe(false)
  expect(isSelfTestDue(tested, NOW - 60_000, NOW)).toBe(true)
  expect(isSelfTestDue({ ...tested, self_test: passedAt(NOW - 1000) }, NOW - 60_000, NOW)).toBe(false)
  expect(isSelfTestDue({ ...camera, self_test: passedAt(NOW - 26 * HOUR) }, null, NOW)).toBe(true)
  expect(isSelfTestDue({ ...camera, frame_at: NOW - 25 * HOUR }, null, NOW)).toBe(false)
})

test('a self-test that failed is tried again in five minutes', () => {
  const failed = { ...passedAt(NOW - 299_000), passed: false }
  expect(isSelfTestDue({ ...camera, self_test: failed }, null, NOW)).toBe(false)
  expect(isSelfTestDue({ ...camera, self_test: { ...failed, at: NOW - 300_000 } }, null, NOW)).toBe(true)
})

test('the cameras of a farm are spread evenly', () => {
  const tenths = Array.from({ length: 10 }, () => 0)
  for (let id = 1; id <= 1000; id++) {
    const tenth = Math.floor(jitterOf(id) * 10)
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
  }
  expect(Math.min(...tenths)).toBeGreaterThan(80)
})

test('what looks odd is wanted more often, what looks fine at the usual pace', () => {
  expect([0, 0.1, 0.2, 0.4, 1].map(wantedIntervalMs)).toEqual([null, null, 4000, 2000, 2000])
})

test('a wish is told once, again now and then, and taken back only after a while', () => {
  const wish = { interval_ms: 4000, at: NOW }
  expect(isWishDue(undefined, null, NOW)).toBe(false)
  expect(isWishDue(undefined, 4000, NOW)).toBe(true)
  expect(isWishDue(wish, 4000, NOW + 10_000)).toBe(false)
  expect(isWishDue(wish, 2000, NOW + 10_000)).toBe(true)
  expect(isWishDue(wish, 4000, NOW + 45_000)).toBe(true)
  expect(isWishDue(wish, null, NOW + 10_000)).toBe(false)
  expect(isWishDue(wish, null, NOW + 20_000)).toBe(true)
})
