import type { ActionOnFailure, BacktestResult, Detection } from '@printwarden/protocol'
import { type AlertFacts, afterStep, judgeFrame, outcomeOf } from '../alerts/alert.js'
import { calibrated } from '../teaching/calibration.js'
import { smoothingFrame } from '../frame.js'
import { applyFrame, type FollowedPrint, follow, newPrinter, warmUp } from '../smoothing/smoothing.js'
import type { SmoothingKind, SmoothingState } from '../smoothing/smoothing-state.js'

// A past print judged again: the frames go through the same smoothing and the same decisions as when they came. Pure.

/** One frame of the past. */
export interface ReplayFrame {
  /** When it was taken, in milliseconds. */
  readonly frame_at: number
  /** As the model and the camera's context had it, before calibration. */
  readonly score: number
  readonly detections: readonly Detection[]
}

export interface ReplaySettings {
  readonly smoothing: SmoothingKind
  readonly sensitivity: number
  readonly action: ActionOnFailure
  readonly calibration_offset: number
}

/** What people did meanwhile, in milliseconds: answers to alerts, and resumes. */
export interface ReplayEvents {
  readonly answers: readonly number[]
  readonly resumes: readonly number[]
}

export type ReplayAlert = BacktestResult['would'][number]

export interface Replay {
  readonly series: { readonly frame_at: number; readonly score: number; readonly normalized_p: number }[]
  readonly alerts: readonly ReplayAlert[]
}

const NOTHING_TOLD: AlertFacts = {
  ...{ alerted_at: null, alert_acknowledged_at: null, alert_muted_at: null },
  ...{ paused_at: null, auto_paused_at: null, rearmed_at: null },
}

/** How a camera is before the first frame: as it was then, unless the smoothing is another one. */
function startOf(start: SmoothingState | undefined, kind: SmoothingKind, print: FollowedPrint): SmoothingState {
  if (start?.kind === kind && start.print_id === print.id) return start
  return follow(newPrinter(kind), print, print.started_at)
}

/**
 * Judges the frames of a print, which are in order of time. Every pause reaches its printer; the frames after it are those that came
 * as the print went on, so what is told after the first pause is only what the camera saw.
 */
export function replay(
  frames: readonly ReplayFrame[],
  settings: ReplaySettings,
  print: Omit<FollowedPrint, 'answered_at'>,
  events: ReplayEvents,
  start: SmoothingState | undefined,
): Replay {
  let facts = NOTHING_TOLD
  let state = startOf(start, settings.smoothing, { ...print, answered_at: 0 })
  const waiting = [
    ...events.answers.map((at) => ({ at, isAnswer: true })),
    ...events.resumes.map((at) => ({ at, isAnswer: false })),
  ].sort((a, b) => a.at - b.at)
  const series: Replay['series'] = []
  const alerts: ReplayAlert[] = []

  for (const { frame_at, score, detections } of frames) {
    while (waiting[0] !== undefined && waiting[0].at <= frame_at) {
      const { at, isAnswer } = waiting.shift() ?? { at: 0, isAnswer: false }
      state = isAnswer ? follow(state, { ...print, answered_at: at }, at) : warmUp(state, at)
      if (isAnswer && facts.alerted_at !== null) facts = { ...facts, alert_acknowledged_at: at }
    }
    const counted = calibrated(score, settings.calibration_offset)
    const frame = { score: counted, detections }
    const smoothed = applyFrame(
      state,
      smoothingFrame({ frame_at }, frame, settings.sensitivity, settings.calibration_offset),
    )
    if (smoothed === undefined) continue
    state = smoothed.state
    series.push({ frame_at, score: counted, normalized_p: state.normalized_p })
    const step = judgeFrame(facts, smoothed.level, settings.action, frame_at, null)
    const changes = afterStep(facts, step, true, frame_at)
    if (step.type === 'nothing' || Object.keys(changes).length === 0) continue
    facts = { ...facts, ...changes }
    alerts.push({ ts: frame_at / 1000, outcome: outcomeOf(step, true, settings.action) })
  }
  return { series, alerts }
}
