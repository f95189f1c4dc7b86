import { expect, test } from 'vitest'
import { type AlertFacts, afterStep, COOLDOWN_MS, judgeFrame } from '../alerts/alert.js'
import { applyFrame, follow, newPrinter, readState, suspicion, warmUp } from './smoothing.js'
import type { Level, Place, SmoothingFrame, SmoothingState } from './smoothing-state.js'

// What holds for our own smoothing whatever is seen and however often: tried on hundreds of random prints.

const START = 1_795_000_000_000
const PRINT = { id: 7, started_at: START, answered_at: 0 }
const ROUNDS = 50

/** A stream of chance: the same for the same seed (a linear congruential generator). */
function makeChance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

type Look = Omit<SmoothingFrame, 'sensitivity'>

/** Frames from 2 s to 2 min apart: calm, failing or wild, with places, without, or without in between. */
function randomPrint(seed: number, count = 80): Look[] {
  const chance = makeChance(seed * 7919 + 1)
  const interval = 2000 * 60 ** chance()
  const [mood, hasPlaces] = [Math.floor(chance() * 3), chance()]
  let at = START
  return Array.from({ length: count }, (_, i) => {
    at += Math.round(interval * (0.8 + 0.4 * chance()))
    const calm = 0.15 * chance()
    const score = mood === 0 ? calm : mood === 1 && i > count / 3 ? 0.6 + 0.4 * chance() : mood === 2 ? chance() : calm
    const place: Place = { confidence: score, x: 300 + 20 * chance(), y: 200 + 20 * chance(), width: 90, height: 70 }
    const look = { frame_at: at, score, confidence_sum: score * 3 }
    return chance() < hasPlaces ? { ...look, places: [place] } : look
  })
}

const withoutPlaces = ({ frame_at, score, confidence_sum }: Look): Look => ({ frame_at, score, confidence_sum })

interface Step {
  readonly level: Level
  readonly state: SmoothingState
}

const begun = follow(newPrinter('default'), PRINT, START)

function run(looks: readonly Look[], sensitivity = 1, from = begun): Step[] {
  let state = from
  return looks.flatMap((look): Step[] => {
    const smoothed = applyFrame(state, { ...look, sensitivity })
    if (smoothed === undefined) return []
    state = smoothed.state
    return [smoothed]
  })
}

const seeds = Array.from({ length: ROUNDS }, (_, i) => i)

const firstOf = (steps: readonly Step[], level: Level): number => {
  const found = steps.findIndex((step) => step.level === level || (level === 'warning' && step.level === 'failing'))
  return found === -1 ? Number.POSITIVE_INFINITY : found
}

test('more sensitivity never warns later, nor calls it failing later', () => {
  let differences = 0
  for (const seed of seeds) {
    const looks = randomPrint(seed)
    const [low, high] = [run(looks, 0.8), run(looks, 1.25)]
    for (const level of ['warning', 'failing'] as const) {
      expect(firstOf(high, level), `print ${seed}, ${level}`).toBeLessThanOrEqual(firstOf(low, level))
      if (firstOf(high, level) < firstOf(low, level)) differences++
    }
  }
  expect(differences).toBeGreaterThan(5)
})

test('one frame alone, or two, of any height and place, never warn', () => {
  for (const seed of seeds) {
    const chance = makeChance(seed)
    const calm = randomPrint(seed).map((look) => ({ ...look, score: 0.05, places: [] }))
    const at = 10 + Math.floor(chance() * 50)
    const place = { confidence: 1, x: 200, y: 200, width: 150, height: 150 }
    const looks = calm.map((look, i) => (i === at || i === at + 1 ? { ...look, score: 1, places: [place] } : look))
    for (const bad of [looks, looks.map(withoutPlaces)]) {
      expect(
        run(bad, 2).every(({ level }) => level === 'fine'),
        `print ${seed}`,
      ).toBe(true)
    }
  }
})

const QUIET: AlertFacts = {
  ...{ alerted_at: null, alert_acknowledged_at: null, alert_muted_at: null },
  ...{ paused_at: null, auto_paused_at: null, rearmed_at: null },
}

test('after a resume that answers the alert, nothing is told and nothing pauses for the cooldown, even when re-armed', () => {
  let pauses = 0
  for (const seed of seeds) {
    const looks = randomPrint(seed).map((look) => ({ ...look, score: 0.97 }))
    let state = begun
    let facts = QUIET
    let resumedAt = Number.NEGATIVE_INFINITY
    for (const look of looks) {
      const now = look.frame_at
      const smoothed = applyFrame(state, { ...look, sensitivity: 1 })
      state = smoothed?.state ?? state
      const step = judgeFrame(facts, smoothed?.level ?? 'fine', 'PAUSE', now, null)
      if (step.type === 'nothing') continue
      expect(now - resumedAt).toBeGreaterThanOrEqual(COOLDOWN_MS)
      facts = { ...facts, ...afterStep(facts, step, true, now) }
      if (step.type !== 'pause') continue
      pauses++
      resumedAt = now + 1
      facts = { ...facts, alert_acknowledged_at: resumedAt, rearmed_at: resumedAt }
      state = follow(state, { ...PRINT, answered_at: resumedAt }, resumedAt)
    }
  }
  expect(pauses).toBeGreaterThan(ROUNDS)
})

test('after any resume, nothing is decided for the warm-up, and what was seen before it is forgotten', () => {
  for (const seed of seeds) {
    const failing = run(randomPrint(seed).map((look) => ({ ...look, score: 0.95 }))).at(-1)?.state ?? begun
    const resumed = warmUp(failing, failing.frame_at ?? START)
    expect(resumed).toMatchObject({ tracks: [], recent: [], normalized_p: 0 })
    const after = [2000, 4000, 6000, 19_000].map((ms) => ({
      frame_at: (failing.frame_at ?? START) + ms,
      score: 1,
      confidence_sum: 9,
    }))
    expect(run(after, 2, resumed).every(({ level }) => level === 'fine')).toBe(true)
  }
})

test('frames that come late or twice change nothing', () => {
  for (const seed of seeds) {
    const looks = randomPrint(seed)
    const mixed = looks.flatMap((look, i) => [look, look, looks[Math.max(0, i - 3)] ?? look])
    expect(run(mixed).at(-1)?.state).toEqual(run(looks).at(-1)?.state)
  }
})

test('the state stays small, plain and within bounds at any interval', () => {
  for (const seed of seeds) {
    for (const { state } of run(randomPrint(seed, 40))) {
      expect(readState(JSON.parse(JSON.stringify(state)), 'default')).toEqual(state)
      expect(JSON.stringify(state).length).toBeLessThan(1600)
      for (const value of [state.normalized_p, suspicion(state), state.ewm_mean, state.rolling_mean_long]) {
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThanOrEqual(1)
      }
    }
  }
})

test('a failure that stays is noticed at any interval, with places and without', () => {
  for (const seconds of [2, 3, 5, 10, 20, 45, 90, 120]) {
    const frames = Math.ceil(400 / seconds) + 5
    const looks = Array.from(
      { length: frames },
      (_, i): Look => ({
        frame_at: START + (i + 1) * seconds * 1000,
        score: 0.98,
        confidence_sum: 0.9,
        places: [{ confidence: 0.98, x: 300, y: 200, width: 90, height: 70 }],
      }),
    )
    const limit = Math.max(55, 3 * seconds)
    const steps = run(looks)
    expect((firstOf(steps, 'warning') + 1) * seconds, `${seconds} s`).toBeLessThanOrEqual(limit)
    expect(firstOf(run(looks.map(withoutPlaces)), 'failing')).toBeLessThan(frames)
  }
})

test('a state that was kept before places were known is read on', () => {
  expect(readState({ ...begun, tracks: undefined }, 'default')).toEqual(begun)
})
