import { expect, test } from 'vitest'
import { applyFrame, byClock, type FollowedPrint, follow, newPrinter, readState, warmUp } from './smoothing.js'
import { NORM_PRIOR } from './norm.js'
import { WARM_UP_MS } from './smoothing-default.js'
import type { Level, SmoothingState } from './smoothing-state.js'

const HOUR = 3_600_000
const START = 1_795_000_000_000

interface Step {
  readonly at: number
  readonly state: SmoothingState
  readonly level: Level
}

const PRINT: FollowedPrint = { id: 7, started_at: START, answered_at: 0 }

/** A print that has begun at `START` on a new printer. */
const begun = follow(newPrinter('default'), PRINT, START)

/** Frames `interval` seconds apart; what each one did. */
function run(from: SmoothingState, scores: readonly number[], interval: number, sensitivity = 1): Step[] {
  const start = Math.max(START, from.frame_at ?? 0)
  let state = from
  return scores.map((score, index) => {
    const at = start + (index + 1) * interval * 1000
    const smoothed = applyFrame(state, { frame_at: at, score, confidence_sum: 0, sensitivity })
    if (smoothed === undefined) throw new Error('the frame was ignored')
    state = smoothed.state
    return { at, state: smoothed.state, level: smoothed.level }
  })
}

function last(steps: readonly Step[]): Step {
  const step = steps.at(-1)
  if (step === undefined) throw new Error('no frames')
  return step
}

function times(count: number, score: number): number[] {
  return Array<number>(count).fill(score)
}

/** Good frames that wobble a little: enough for half an hour of history at any interval. */
function good(seconds: number, interval: number): number[] {
  return Array.from({ length: Math.ceil(seconds / interval) }, (_, i) => [0.05, 0.2, 0.12, 0.26][i % 4] ?? 0)
}

/** Seconds from the first frame that failed until this level was reached. */
function secondsUntil(level: Level, steps: readonly Step[]): number | undefined {
  const begin = steps[0]?.at ?? 0
  const step = steps.find((candidate) => candidate.level === level)
  return step === undefined ? undefined : (step.at - begin) / 1000
}

test.each([
  { interval: 2, score: 0.95, sensitivity: 1, warning: [10, 40], failing: [25, 75] },
  { interval: 5, score: 0.95, sensitivity: 1, warning: [10, 40], failing: [30, 75] },
  { interval: 10, score: 0.95, sensitivity: 1, warning: [20, 50], failing: [40, 80] },
  { interval: 30, score: 0.95, sensitivity: 1, warning: [60, 60], failing: [90, 120] },
  { interval: 120, score: 0.9, sensitivity: 1, warning: undefined, failing: [240, 240] },
  { interval: 10, score: 0.85, sensitivity: 1, warning: [20, 60], failing: [60, 140] },
  { interval: 10, score: 0.6, sensitivity: 1, warning: [40, 90], failing: undefined },
  { interval: 10, score: 0.7, sensitivity: 1.4, warning: [30, 60], failing: [50, 150] },
  { interval: 10, score: 0.95, sensitivity: 0.8, warning: [20, 60], failing: [90, 180] },
])(
  'a failure of $score every $interval s at sensitivity $sensitivity: warned within $warning s, failing within $failing s',
  ({ interval, score, sensitivity, warning, failing }) => {
    const before = last(run(begun, good(1800, interval), interval)).state
    const steps = run(before, times(Math.ceil(400 / interval) + 5, score), interval, sensitivity)
    for (const [level, range] of [
      ['warning', warning],
      ['failing', failing],
    ] as const) {
      const seconds = secondsUntil(level, steps)
      if (range === undefined) expect(seconds).toBeUndefined()
      else {
        expect(seconds).toBeGreaterThanOrEqual(range[0] ?? Number.NaN)
        expect(seconds).toBeLessThanOrEqual(range[1] ?? Number.NaN)
      }
    }
  },
)

test.each([2, 5, 10, 30, 120, 200])('one or two frames of any height leave no trace, one every %i s', (interval) => {
  const before = last(run(begun, good(1800, interval), interval)).state
  const blips = [1, 0.1, 0.1, 0.1, 0.1, 1, 1, 0.1, 0.1, 0.1, 0.1, 1, 1, ...times(10, 0.1)]
  const steps = run(before, blips, interval)
  expect(steps.map((step) => step.level)).toEqual(steps.map(() => 'fine'))
  expect(Math.max(...steps.map((step) => step.state.normalized_p))).toBeLessThan(1 / 3)
})

test('a good print never leaves the first third of the gauge', () => {
  const steps = run(begun, good(4 * 3600, 10), 10)
  expect(Math.max(...steps.map((step) => step.state.normalized_p))).toBeLessThan(0.2)
})

test('a new printer whose first print fails at once is noticed within its first minutes', () => {
  const steps = run(begun, times(60, 0.97), 2)
  const failing = steps.find((step) => step.level === 'failing')
  expect((failing?.at ?? 0) - START).toBeLessThanOrEqual(120_000)
  expect((failing?.at ?? 0) - START).toBeGreaterThanOrEqual(WARM_UP_MS)
})

test('nothing is decided while it warms up, but the gauge moves', () => {
  const steps = run(begun, times(9, 1), 2)
  expect(steps.map((step) => step.level)).toEqual(times(9, 0).map(() => 'fine'))
  expect(last(steps).state.normalized_p).toBeGreaterThan(0.1)
})

test('the norm learns from hours of good frames', () => {
  const { state } = last(run(begun, times(3600, 0.35), 10))
  expect(state.rolling_mean_long).toBeGreaterThan(0.3)
  expect(state.rolling_mean_long).toBeLessThan(0.35)
})

test('a printer whose good prints score 0.45 is warned about at first, but never once that is its norm', () => {
  const learned = last(run(begun, times(5 * 360, 0.4), 10)).state
  const steps = run(learned, times(360, 0.48), 10)
  expect(new Set(steps.map((step) => step.level))).toEqual(new Set(['fine']))
})

test('the norm never learns from frames that look failed', () => {
  const before = last(run(begun, good(HOUR / 1000, 10), 10)).state
  const steps = run(before, times(2000, 0.9), 10)
  expect(last(steps).state.rolling_mean_long).toBeCloseTo(before.rolling_mean_long, 2)
  expect(last(steps).level).toBe('failing')
})

test('nor from single good frames in between while it fails', () => {
  const before = last(run(begun, times(600, 0.1), 10)).state
  const failing = last(run(before, times(20, 0.9), 10)).state
  const [frame] = run(failing, [0], 10)
  expect(frame?.state.rolling_mean_long).toBe(failing.rolling_mean_long)
})

test('an answer starts afresh, and a failure that goes on is told again only after a while', () => {
  const failing = last(run(begun, times(40, 0.9), 10)).state
  const answered = warmUp(failing, failing.frame_at ?? 0)
  expect(answered.normalized_p).toBe(0)
  const steps = run(answered, times(40, 0.98), 10)
  expect(secondsUntil('warning', steps)).toBeGreaterThanOrEqual(WARM_UP_MS / 1000)
  expect(secondsUntil('failing', steps)).toBeLessThanOrEqual(120)
})

test('what was cleared away before the resume stays quiet', () => {
  const failing = last(run(begun, times(40, 0.9), 10)).state
  const steps = run(warmUp(failing, failing.frame_at ?? 0), good(600, 10), 10)
  expect(new Set(steps.map((step) => step.level))).toEqual(new Set(['fine']))
})

test('a new print forgets what was seen and keeps what was learned', () => {
  const before = last(run(begun, [...times(3600, 0.3), ...times(20, 0.9)], 10)).state
  const next = follow(before, { id: 8, started_at: START + 100 * HOUR, answered_at: 0 }, START + 101 * HOUR)
  expect(next).toMatchObject({ print_id: 8, current_frame_num: 0, normalized_p: 0, recent: [], watched_ms: 0 })
  expect(next.rolling_mean_long).toBe(before.rolling_mean_long)
  expect(next.lifetime_frame_num).toBe(3620)
  expect(next.ewm_mean).toBe(next.rolling_mean_long)
})

test('while the same print goes on, nothing is forgotten', () => {
  const failing = last(run(begun, times(40, 0.9), 10)).state
  expect(follow(failing, PRINT, START + HOUR)).toBe(failing)
})

test('once it has ended, nothing is left of it', () => {
  const failing = last(run(begun, times(40, 0.9), 10)).state
  const ended = follow(failing, null, START + HOUR)
  expect(ended).toMatchObject({ print_id: null, normalized_p: 0, recent: [] })
  expect(follow(ended, null, START + 2 * HOUR)).toBe(ended)
})

test.each(['default', 'upstream'] as const)('%s: an answer counts once', (kind) => {
  const failing = { ...newPrinter(kind), print_id: 7, frame_at: START, ewm_mean: 0.9, normalized_p: 0.9 }
  const answered = follow(failing, { ...PRINT, answered_at: START + 5 }, START + 6)
  expect(answered.answered_at).toBe(START + 5)
  expect(answered.normalized_p).toBe(kind === 'default' ? 0 : 0.9)
  expect(follow(answered, { ...PRINT, answered_at: START + 5 }, START + 7)).toBe(answered)
})

test('on a printer whose good frames hardly vary, little is enough; where they vary much, more is needed', () => {
  const calm = last(run(begun, times(1080, 0.05), 10)).state
  const wild = last(
    run(
      begun,
      [...times(1080, 0)].map((_, i) => (i % 60 < 30 ? 0.01 : 0.25)),
      10,
    ),
  ).state
  expect(calm.spread).toBeLessThan(0.5)
  expect(wild.spread).toBeGreaterThan(1)
  expect(secondsUntil('warning', run(calm, times(40, 0.3), 10))).toBeLessThanOrEqual(110)
  expect(secondsUntil('warning', run(wild, times(40, 0.5), 10))).toBeUndefined()
  expect(secondsUntil('failing', run(wild, times(60, 0.99), 10))).toBeLessThanOrEqual(110)
})

test('an hour without frames fades what was seen', () => {
  const failing = last(run(begun, times(40, 0.9), 10)).state
  const at = (failing.frame_at ?? 0) + HOUR
  const smoothed = applyFrame(failing, { frame_at: at, score: 0.9, confidence_sum: 0, sensitivity: 1 })
  expect(smoothed?.level).toBe('fine')
  expect(smoothed?.state.ewm_mean).toBeCloseTo(NORM_PRIOR, 2)
})

test('a few lost frames change little', () => {
  const failing = last(run(begun, times(40, 0.98), 10)).state
  const at = (failing.frame_at ?? 0) + 60_000
  expect(applyFrame(failing, { frame_at: at, score: 0.98, confidence_sum: 0, sensitivity: 1 })?.level).toBe('failing')
})

test.each(['default', 'upstream'] as const)('%s: a frame that is not newer than the last one is ignored', (kind) => {
  const frame = { frame_at: START, score: 0.9, confidence_sum: 0.9, sensitivity: 1 }
  const smoothed = applyFrame(newPrinter(kind), frame)
  if (smoothed === undefined) throw new Error('the frame was ignored')
  expect(applyFrame(smoothed.state, frame)).toBeUndefined()
  expect(applyFrame(smoothed.state, { ...frame, frame_at: START - 1 })).toBeUndefined()
})

test('the values stay numbers, whatever the intervals', () => {
  let state = begun
  for (const [index, gap] of [1, 1, 5_000, 10 * HOUR, 2, 120_000, 299_999, 300_001].entries()) {
    const at = (state.frame_at ?? START) + gap
    const smoothed = applyFrame(state, { frame_at: at, score: index % 2, confidence_sum: 0, sensitivity: 5 })
    state = smoothed?.state ?? state
    expect(readState(structuredClone(state), 'default')).toEqual(state)
    expect(state.normalized_p).toBeGreaterThanOrEqual(0)
    expect(state.normalized_p).toBeLessThanOrEqual(1)
  }
})

test.each([
  { name: 'nothing', kept: undefined },
  { name: 'something else', kept: { ewm_mean: 'high' } },
  { name: 'a state of the other kind', kept: newPrinter('upstream') },
])('kept was $name: begins anew', ({ kept }) => {
  expect(readState(kept, 'default')).toEqual(newPrinter('default'))
})

test.each(['default', 'upstream'] as const)(
  'by %s, a printer is watched on after the clock was set back by hours',
  (kind) => {
    const ahead = last(run(follow(newPrinter(kind), PRINT, START), times(40, 0.05), 10)).state
    const now = START - 5 * HOUR
    const frame = (at: number) => ({ frame_at: at, score: 0.9, confidence_sum: 0.9, sensitivity: 1 })
    expect(applyFrame(ahead, frame(now))).toBeUndefined()
    let state = byClock(ahead, now)
    expect(state.learned_ms).toBe(ahead.learned_ms)
    const levels: Level[] = []
    for (let index = 1; index <= 20; index++) {
      const at = now + index * 10_000
      const smoothed = applyFrame(byClock(state, at), frame(at))
      if (smoothed === undefined) throw new Error('the frame was ignored')
      state = smoothed.state
      levels.push(smoothed.level)
    }
    expect(levels.at(-1)).not.toBe('fine')
  },
)

test('a warm-up that ends hours from now was begun before the clock was set back', () => {
  const now = START - 5 * HOUR
  expect(byClock(begun, now).warm_until).toBe(now + WARM_UP_MS)
})

test.each([0, 60_000])('a state that is ahead by %i ms is kept: another node wrote it', (ms) => {
  const { state } = last(run(begun, [0.1], 10))
  expect(byClock(state, (state.frame_at ?? 0) - ms)).toBe(state)
})
