import { type AlertFacts, afterStep, judgeFrame } from '../../packages/server/src/detection/alerts/alert.js'
import { follow, newPrinter } from '../../packages/server/src/detection/smoothing/smoothing.js'
import type { SmoothingFrame, SmoothingState } from '../../packages/server/src/detection/smoothing/smoothing-state.js'
import { type Camera, camera } from './camera.js'
import type { Policy } from './policies.js'
import type { Timeline, TimelineFrame } from './timeline.js'

// Whole prints through the server's own decisions: the smoothing, and what is done about a level. Only the user is played.

/** The user looks at an alert, and answers or resumes, after this long. */
const ANSWER_MS = 5 * 60_000

/** What one policy made of one print. */
export interface Outcome {
  readonly id: string
  readonly isFailing: boolean
  /** Hours in which the print was good and was being watched. */
  readonly goodHours: number
  readonly falseAlarms: number
  readonly falsePauses: number
  /** Milliseconds from the first moment in which the failure could be seen; null when it never came. */
  readonly alertAfter: number | null
  readonly pauseAfter: number | null
  /** Frames that were looked at. */
  readonly frames: number
  readonly watchedHours: number
}

const QUIET: AlertFacts = {
  alerted_at: null,
  alert_acknowledged_at: null,
  alert_muted_at: null,
  paused_at: null,
  auto_paused_at: null,
  rearmed_at: null,
}

/** Far from 0, so that "never" and "at the beginning" stay apart. */
const EPOCH = 1_795_000_000_000

function frameOf({ at, score, sum, boxes }: TimelineFrame, began: number, sensitivity: number): SmoothingFrame {
  return {
    frame_at: began + at,
    score,
    confidence_sum: sum,
    places: boxes.map(([confidence, x, y, width, height]) => ({ confidence, x, y, width, height })),
    sensitivity,
  }
}

/** Replays a print, and the printer's earlier ones before it, under a policy. */
export function replay(timeline: Timeline, policy: Policy): Outcome {
  let state = newPrinter(policy.kind)
  let began = EPOCH
  const seen = policy.camera && camera(policy.camera, timeline.marks)
  for (const [index, earlier] of timeline.history.entries()) {
    state = watch(earlier, policy, seen, state, began, index + 1).state
    began += earlier.endAt + 3_600_000
  }
  return watch(timeline, policy, seen, state, began, timeline.history.length + 1).outcome
}

function watch(
  timeline: Timeline,
  policy: Policy,
  seen: Camera | undefined,
  from: SmoothingState,
  began: number,
  id: number,
) {
  const { visibleAt, endAt } = timeline
  const goodUntil = visibleAt ?? Number.POSITIVE_INFINITY
  const answered = (facts: AlertFacts): number => facts.alert_acknowledged_at ?? 0
  let facts = QUIET
  let state = follow(from, { id, started_at: began, answered_at: 0 }, began)
  let [falseAlarms, falsePauses, frames, goodMs, watchedMs] = [0, 0, 0, 0, 0]
  let alertAfter: number | null = null
  let pauseAfter: number | null = null
  /** When the user answers the alert that stands. */
  let answerAt: number | null = null

  let before = 0
  for (let at = timeline.next(0, timeline.intervalMs); at < endAt; ) {
    if (answerAt !== null && at >= answerAt) {
      facts = { ...facts, alert_acknowledged_at: began + answerAt }
      seen?.notFailed()
      state = follow(state, { id, started_at: began, answered_at: answered(facts) }, began + answerAt)
      answerAt = null
      before = at
    }
    const taken = timeline.frameAt(at)
    const frame = taken && seen ? seen.judge(taken, { id, began }) : taken
    const smoothed = frame && policy.apply(state, frameOf(frame, began, policy.sensitivity))
    const sinceMs = at - before
    watchedMs += sinceMs
    if (at < goodUntil) goodMs += sinceMs
    before = at
    let resumesAt = at
    if (smoothed !== undefined) {
      frames++
      state = smoothed.state
      const now = began + at
      const step = judgeFrame(facts, smoothed.level, 'PAUSE', now, null)
      if (step.type !== 'nothing') {
        facts = { ...facts, ...afterStep(facts, step, true, now) }
        const isPause = step.type === 'pause'
        if (at < goodUntil) {
          falseAlarms++
          if (isPause) falsePauses++
          answerAt = at + ANSWER_MS
          // A paused print stands still until the user resumes it.
          if (isPause) resumesAt = answerAt
        } else {
          alertAfter ??= at - goodUntil
          if (isPause) pauseAfter ??= at - goodUntil
        }
      }
    }
    if (smoothed !== undefined) seen?.learn(smoothed.level, answerAt !== null || alertAfter !== null, sinceMs)
    if (pauseAfter !== null) break
    at = timeline.next(resumesAt, policy.cadence?.(state) ?? timeline.intervalMs)
  }
  const hour = 3_600_000
  const outcome: Outcome = {
    id: timeline.id,
    isFailing: visibleAt !== null,
    goodHours: goodMs / hour,
    falseAlarms,
    falsePauses,
    alertAfter,
    pauseAfter,
    frames,
    watchedHours: watchedMs / hour,
  }
  return { state, outcome }
}
