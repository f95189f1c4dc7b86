import { expect, test } from 'vitest'
import { applyFrame, newPrinter } from './smoothing.js'
import type { Level, SmoothingState } from './smoothing-state.js'

const fresh = newPrinter('upstream')
const experienced: SmoothingState = { ...fresh, lifetime_frame_num: 9000, rolling_mean_long: 0.02 }

interface Step {
  readonly state: SmoothingState
  readonly level: Level
}

/** The state and level after each of these values, by frame number. */
function run(from: SmoothingState, values: readonly number[], sensitivity = 1): Map<number, Step> {
  const steps = new Map<number, Step>()
  let state = from
  for (const [index, value] of values.entries()) {
    const frame = { frame_at: index + 1, score: 0, confidence_sum: value, sensitivity }
    const smoothed = applyFrame(state, frame)
    if (smoothed === undefined) throw new Error('the frame was ignored')
    state = smoothed.state
    steps.set(state.current_frame_num, smoothed)
  }
  return steps
}

function times(count: number, value: number): number[] {
  return Array<number>(count).fill(value)
}

function first(steps: Map<number, Step>, level: Level): number | undefined {
  for (const [frame, step] of steps) if (step.level === level) return frame
  return undefined
}

const CASES = {
  A: run(fresh, times(9000, 0.65)),
  B: run(experienced, [...times(60, 0), ...times(300, 1.2)]),
  'B at sensitivity 0.8': run(experienced, [...times(60, 0), ...times(300, 1.2)], 0.8),
  'B at sensitivity 1.2': run(experienced, [...times(60, 0), ...times(300, 1.2)], 1.2),
  D: run(experienced, [...times(60, 0), ...times(300, 0.5)]),
  E: run({ ...experienced, current_frame_num: 40, ewm_mean: 0.9, rolling_mean_short: 0.1 }, [0.65]),
}

test.each([
  ['A', 1, 0.1, 0.325, 0.325, 0],
  ['A', 2, 0.184615, 0.433333, 0.433333, 0],
  ['A', 30, 0.645671, 0.629032, 0.629032, 0.014595],
  ['B', 60, 0, 0, 0.019834, 0],
  ['B', 61, 0.184615, 0.019355, 0.019998, 0.144401],
  ['B', 63, 0.473009, 0.05625, 0.020326, 0.418343],
  ['B', 65, 0.679491, 0.090909, 0.020653, 0.65946],
  ['B', 100, 1.198496, 0.475248, 0.026373, 0.556766],
  ['D', 70, 0.405927, 0.070423, 0.0205, 0.339681],
  ['D', 80, 0.482301, 0.123457, 0.021166, 0.416149],
  ['D', 120, 0.499978, 0.247934, 0.023819, 0.203487],
  ['E', 41, 0.861538, 0.113095, 0.020088, 0.84356],
] as const)('case %s, frame %i: the means and the gauge', (name, frame, ewm, short, long, normalized) => {
  const state = CASES[name].get(frame)?.state
  const got = [state?.ewm_mean, state?.rolling_mean_short, state?.rolling_mean_long, state?.normalized_p]
  // The vectors are rounded to six places.
  for (const [index, expected] of [ewm, short, long, normalized].entries()) {
    expect(Math.abs((got[index] ?? Number.NaN) - expected)).toBeLessThan(5.1e-7)
  }
})

test.each([
  ['A', undefined, undefined],
  ['B', 63, 66],
  ['B at sensitivity 0.8', 64, undefined],
  ['B at sensitivity 1.2', 62, 64],
  ['D', 70, undefined],
  ['E', undefined, 41],
] as const)('case %s: the first warning comes at frame %s, the first failing one at %s', (name, warning, failing) => {
  expect(first(CASES[name], 'warning')).toBe(warning)
  expect(first(CASES[name], 'failing')).toBe(failing)
})
