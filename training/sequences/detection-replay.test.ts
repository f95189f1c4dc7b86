import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { figuresOf } from './figures.js'
import { givenTimeline, readScores } from './given.js'
import { POLICIES } from './policies.js'
import { type Outcome, replay } from './replay.js'
import { PLAN, ScoreSet, timelinesOf } from './sets.js'
import type { Timeline, TimelineFrame } from './timeline.js'

// Some of the published timelines, from the kept scores of the shipped model: ours must stay earlier than upstream's, with no more
// false alarms.

const EVERY = 5

async function someTimelines(): Promise<Timeline[]> {
  const set = ScoreSet.parse(JSON.parse(await readFile(new URL('data/scores.json', import.meta.url), 'utf8')))
  const reported = timelinesOf(set, PLAN).filter((timeline) => timeline.half === 1)
  const some = (isFailing: boolean): Timeline[] =>
    reported.filter(({ visibleAt }) => (visibleAt !== null) === isFailing).filter((_, i) => i % EVERY < 2)
  return [...some(true), ...some(false)]
}

function policyNamed(name: string) {
  const policy = POLICIES.find((known) => known.name === name)
  if (policy === undefined) throw new Error(`no policy is called ${name}`)
  return policy
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length
}

/** Minutes until the alert, on average; a miss counts as the hour that the print goes on. */
function minutes(outcomes: readonly Outcome[]): number {
  return mean(outcomes.filter(({ isFailing }) => isFailing).map(({ alertAfter }) => (alertAfter ?? 3_600_000) / 60_000))
}

function falseAlarms(outcomes: readonly Outcome[]): number {
  return outcomes.reduce((total, { falseAlarms: count }) => total + count, 0)
}

test('on kept timelines ours alerts earlier than upstream at no more false alarms', async () => {
  const timelines = await someTimelines()
  expect(timelines.length).toBeGreaterThanOrEqual(30)
  const outcomes = (name: string): Outcome[] => timelines.map((timeline) => replay(timeline, policyNamed(name)))
  const ours = outcomes('default')
  const [bySum, byScore] = [outcomes('upstream'), outcomes('upstream, score')]
  expect(falseAlarms(ours)).toBeLessThanOrEqual(falseAlarms(bySum))
  expect(minutes(ours)).toBeLessThan(minutes(byScore))
  expect(outcomes('default')).toEqual(ours)
}, 300_000)

const frame = (at: number, score: number): TimelineFrame => ({
  at,
  score,
  sum: score,
  boxes: [[score, 300, 200, 80, 60]],
})

function failing(): Timeline {
  const frames = Array.from({ length: 120 }, (_, i) => frame((i + 1) * 10_000, i < 60 ? 0.05 : 0.9))
  return givenTimeline('failing', frames, 605_000)
}

test('a print that fails is alerted, paused, and counted from the moment in which it could be seen', () => {
  const outcome = replay(failing(), policyNamed('default'))
  expect(outcome).toMatchObject({ isFailing: true, falseAlarms: 0, falsePauses: 0 })
  expect(outcome.alertAfter).toBeGreaterThanOrEqual(25_000)
  expect(outcome.alertAfter).toBeLessThanOrEqual(60_000)
  expect(outcome.pauseAfter).toBeGreaterThanOrEqual(outcome.alertAfter ?? Number.NaN)
  expect(outcome.goodHours * 3600).toBeCloseTo(600, 3)
})

test('an alert on a good print is a false alarm, each time that it comes', () => {
  const frames = Array.from({ length: 360 }, (_, i) => frame((i + 1) * 10_000, 0.9))
  const outcome = replay(givenTimeline('good', frames, null), policyNamed('without calibration'))
  expect(outcome.falseAlarms).toBeGreaterThan(3)
  expect(outcome).toMatchObject({ isFailing: false, falsePauses: 1, alertAfter: null })
})

test('misses count as endless, and intervals hold the value', () => {
  const hit = replay(failing(), policyNamed('default'))
  const missed: Outcome = { ...hit, alertAfter: null, pauseAfter: null }
  const figures = figuresOf([hit, hit, hit, missed], 100)
  expect(figures.missedAlerts.value).toBe(0.25)
  expect(figures.alertP50.value).toBe((hit.alertAfter ?? 0) / 1000)
  expect(figures.alertP90.value).toBe(Number.POSITIVE_INFINITY)
  expect(figures.missedAlerts.low).toBeLessThanOrEqual(0.25)
  expect(figures.missedAlerts.high).toBeGreaterThanOrEqual(0.25)
})

test('files of scores are read by print, and bad lines are named', () => {
  const text = [
    '{"print":"a","visible_at":30}',
    '{"print":"a","time":10,"score":0.1,"boxes":[[0.1,5,5,4,4]]}',
    '{"print":"a","time":20,"score":0.9}',
    '{"print":"b","time":5,"score":0.2}',
  ].join('\n')
  const [a, b] = readScores(text, 'scores.jsonl')
  expect(a).toMatchObject({ id: 'a', visibleAt: 30_000, intervalMs: 10_000 })
  expect(a?.frameAt(20_000)).toEqual({ at: 20_000, score: 0.9, sum: 0, boxes: [] })
  expect(b).toMatchObject({ id: 'b', visibleAt: null })
  expect(() => readScores('{"time":-1,"score":2}', 'scores.jsonl')).toThrow(/scores\.jsonl, line 1/)
})
