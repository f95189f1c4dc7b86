import { expect, test } from 'vitest'
import { replay, type ReplayEvents, type ReplayFrame, type ReplaySettings } from './replay.js'
import { applyFrame, follow, newPrinter } from '../smoothing/smoothing.js'

const START = 1_795_000_000_000
const PRINT = { id: 7, started_at: START }
const ASLEEP: ReplayEvents = { answers: [], resumes: [], rearms: [], cancelledAt: null }
const settings = (changes: Partial<ReplaySettings> = {}): ReplaySettings => ({
  ...{ smoothing: 'default', sensitivity: 1, action: 'PAUSE', calibration_offset: 0, votes_enabled: true },
  ...changes,
})

/** Frames ten seconds apart. */
const frames = (...scores: number[]): ReplayFrame[] =>
  scores.map((score, index) => ({
    frame_at: START + (index + 1) * 10_000,
    score,
    detections: [['failure', score, [100, 100, 50, 50]]],
  }))
const times = (count: number, score: number) => Array<number>(count).fill(score)
const failing = frames(...times(30, 0.05), ...times(30, 0.97))

test('a print that fails would be warned about or paused once, and its gauge is full', () => {
  const { alerts, series } = replay(failing, settings(), PRINT, ASLEEP, undefined)
  expect(alerts.filter(({ outcome }) => outcome === 'paused')).toHaveLength(1)
  expect(alerts[0]?.ts).toBeGreaterThan(START / 1000 + 300)
  expect(series.at(-1)?.normalized_p).toBeGreaterThan(2 / 3)
})

test('a good print would be left alone', () => {
  expect(replay(frames(...times(500, 0.1)), settings(), PRINT, ASLEEP, undefined).alerts).toEqual([])
})

test('the values are those of the smoothing itself', () => {
  let state = follow(newPrinter('default'), { ...PRINT, answered_at: 0 }, START)
  const expected = failing.map(({ frame_at, score, detections }) => {
    const places = detections.map(([, confidence, [x, y, width, height]]) => ({ confidence, x, y, width, height }))
    const smoothed = applyFrame(state, { frame_at, score, confidence_sum: score, sensitivity: 1, places })
    state = smoothed?.state ?? state
    return state.normalized_p
  })
  const { series } = replay(failing, settings(), PRINT, ASLEEP, undefined)
  expect(series.map(({ normalized_p }) => normalized_p)).toEqual(expected)
})

test('a higher sensitivity is never later', () => {
  const at = (sensitivity: number) =>
    replay(failing, settings({ sensitivity }), PRINT, ASLEEP, undefined).alerts[0]?.ts ?? Infinity
  expect(at(1.5)).toBeLessThanOrEqual(at(1))
  expect(at(1)).toBeLessThanOrEqual(at(0.7))
})

test('a printer that is not to be paused is only told about', () => {
  const { alerts } = replay(failing, settings({ action: 'NONE' }), PRINT, ASLEEP, undefined)
  expect(alerts.map(({ outcome }) => outcome)).not.toContain('paused')
  expect(alerts.length).toBeGreaterThan(0)
})

test('answers that made the camera less alarming make it later or silent', () => {
  const doubtful = frames(...times(30, 0.05), ...times(60, 0.85))
  const before = replay(doubtful, settings(), PRINT, ASLEEP, undefined).alerts
  const after = replay(doubtful, settings({ calibration_offset: -1.5 }), PRINT, ASLEEP, undefined).alerts
  expect(before.length).toBeGreaterThan(0)
  expect(after).toEqual([])
})

test('where the user has asked for that, a pause that nobody answers ends in a cancel ten minutes later', () => {
  const long = frames(...times(30, 0.05), ...times(120, 0.97))
  const told = (events: Partial<ReplayEvents>, action: ReplaySettings['action'] = 'CANCEL') =>
    replay(long, settings({ action }), PRINT, { ...ASLEEP, ...events }, undefined).alerts
  const paused = told({}).find(({ outcome }) => outcome === 'paused')?.ts ?? 0
  expect(told({}).at(-1)).toEqual({ ts: paused + 600, outcome: 'cancelled' })
  expect(told({}, 'PAUSE').map(({ outcome }) => outcome)).not.toContain('cancelled')
  expect(told({ answers: [paused * 1000 + 599_000] }).map(({ outcome }) => outcome)).not.toContain('cancelled')
  expect(told({ resumes: [paused * 1000 + 30_000] }).map(({ outcome }) => outcome)).not.toContain('cancelled')
  expect(told({ answers: [paused * 1000 + 601_000] }).at(-1)?.outcome).toBe('cancelled')
  // A print that ended while it was paused.
  const short = long.filter(({ frame_at }) => frame_at <= paused * 1000)
  const { alerts, series } = replay(short, settings({ action: 'CANCEL' }), PRINT, ASLEEP, undefined)
  expect(alerts.at(-1)?.outcome).toBe('cancelled')
  const byHand = { ...ASLEEP, cancelledAt: paused * 1000 + 120_000 }
  expect(replay(short, settings({ action: 'CANCEL' }), PRINT, byHand, undefined).alerts.at(-1)?.outcome).toBe('paused')
  expect(series).toHaveLength(short.length)
})

test('a leave for another pause pauses again', () => {
  const long = frames(...times(30, 0.05), ...times(40, 0.96), ...times(60, 0.998))
  const pauses = (rearms: number[]) =>
    replay(long, settings(), PRINT, { ...ASLEEP, rearms }, undefined).alerts.filter(
      ({ outcome }) => outcome === 'paused',
    )
  expect(pauses([])).toHaveLength(1)
  expect(pauses([START + 700_000])).toHaveLength(2)
})

test('votes that are switched off let a flickering score alert sooner or later, not the same', () => {
  const moving = failing.map((frame, index) => ({
    ...frame,
    detections: frame.detections.map(
      ([label, confidence]) =>
        [label, confidence, [50 + ((index * 197) % 500), 60 + ((index * 83) % 300), 20, 20]] as const,
    ),
  })) as unknown as ReplayFrame[]
  const gauge = (votes_enabled: boolean) =>
    replay(moving, settings({ votes_enabled }), PRINT, ASLEEP, undefined).series.at(-1)?.normalized_p ?? 0
  expect(gauge(false)).toBeGreaterThan(gauge(true))
})

test('an answer lets a later failure be told again', () => {
  const long = frames(...times(30, 0.05), ...times(30, 0.96), ...times(60, 0.998))
  const answered = { ...ASLEEP, answers: [START + 600_000] }
  const told = replay(long, settings(), PRINT, answered, undefined).alerts
  expect(told.length).toBeGreaterThan(replay(long, settings(), PRINT, ASLEEP, undefined).alerts.length)
})

test('the other smoothing starts anew, for its numbers mean something else', () => {
  const start = follow(newPrinter('default'), { ...PRINT, answered_at: 0 }, START)
  const { series } = replay(failing, settings({ smoothing: 'upstream' }), PRINT, ASLEEP, start)
  expect(series[0]?.normalized_p).toBe(0)
  expect(series).toHaveLength(60)
})
