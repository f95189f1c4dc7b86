import type { ActionOnFailure, BacktestResult } from '@printwarden/protocol'
import { type AlertFacts, afterStep, judgeFrame, outcomeOf } from '../alerts/alert.js'
import { decide, type DecisionSettings, type JudgedFrame } from '../decide.js'
import { type FollowedPrint, follow, newPrinter, warmUp } from '../smoothing/smoothing.js'
import type { SmoothingKind, SmoothingState } from '../smoothing/smoothing-state.js'
import { calibrated } from '../teaching/calibration.js'
import { CANCEL_AFTER_MS, shouldCancel } from '../watching/watchdog.js'

// A past print judged again: the frames go through the same smoothing and the same decisions as when they came. Pure.

/** One frame of the past. */
export type ReplayFrame = JudgedFrame

export interface ReplaySettings extends DecisionSettings {
  readonly smoothing: SmoothingKind
  readonly action: ActionOnFailure
}

/** What people did meanwhile, in milliseconds: answers to alerts, resumes, and leaves for another pause. */
export interface ReplayEvents {
  readonly answers: readonly number[]
  readonly resumes: readonly number[]
  readonly rearms: readonly number[]
  /** When somebody cancelled it. */
  readonly cancelledAt: number | null
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

type Event = { readonly at: number; readonly kind: 'answer' | 'resume' | 'rearm' }

function inOrder({ answers, resumes, rearms }: Omit<ReplayEvents, 'cancelledAt'>): Event[] {
  const of = (kind: Event['kind'], times: readonly number[]): Event[] => times.map((at) => ({ at, kind }))
  return [...of('answer', answers), ...of('resume', resumes), ...of('rearm', rearms)].sort((a, b) => a.at - b.at)
}

/**
 * Judges the frames of a print, which are in order of time. Every pause reaches its printer; the frames after it are those that came
 * as the print went on, so what is told after the first pause is only what the camera saw. A cancel ends it.
 */
export function replay(
  frames: readonly ReplayFrame[],
  settings: ReplaySettings,
  print: Omit<FollowedPrint, 'answered_at'>,
  events: ReplayEvents,
  start: SmoothingState | undefined,
): Replay {
  let facts = NOTHING_TOLD
  let answeredAt = 0
  let state = startOf(start, settings.smoothing, { ...print, answered_at: 0 })
  let pausedAt: number | null = null
  const waiting = inOrder(events)
  const series: Replay['series'] = []
  const alerts: ReplayAlert[] = []

  /** When the print would be cancelled, were nothing said until then. */
  const cancelAt = (): number => {
    const at = (pausedAt ?? Infinity) + CANCEL_AFTER_MS
    const isDue = shouldCancel({ ...facts, action: settings.action, isPaused: true, isResumed: false, cancels: [] }, at)
    return pausedAt !== null && isDue ? at : Infinity
  }

  function happens({ at, kind }: Event): void {
    // Whatever is said lets a print that stands paused go on, or keeps it from being cancelled.
    pausedAt = null
    if (kind === 'resume') {
      state = warmUp(state, at)
      return
    }
    answeredAt = Math.max(answeredAt, at)
    state = follow(state, { ...print, answered_at: answeredAt }, at)
    if (kind === 'rearm') facts = { ...facts, rearmed_at: at }
    else if (facts.alerted_at !== null) facts = { ...facts, alert_acknowledged_at: at }
  }

  function passes(frame: ReplayFrame): void {
    const { frame_at, score } = frame
    const smoothed = decide(state, frame, settings)
    if (smoothed === undefined) return
    state = smoothed.state
    const counted = calibrated(score, settings.calibration_offset)
    series.push({ frame_at, score: counted, normalized_p: state.normalized_p })
    const step = judgeFrame(facts, smoothed.level, settings.action, frame_at, null)
    const changes = afterStep(facts, step, true, frame_at)
    if (step.type === 'nothing' || Object.keys(changes).length === 0) return
    facts = { ...facts, ...changes }
    if (step.type === 'pause') pausedAt = frame_at
    alerts.push({ ts: frame_at / 1000, outcome: outcomeOf(step, true, settings.action) })
  }

  /** Whether the print would have been cancelled before this instant. */
  function isCancelled(before: number): boolean {
    const at = cancelAt()
    if (at > before) return false
    alerts.push({ ts: at / 1000, outcome: 'cancelled' })
    return true
  }

  for (const frame of frames) {
    for (let next = waiting[0]; next !== undefined && next.at <= frame.frame_at; next = waiting[0]) {
      if (isCancelled(next.at)) return { series, alerts }
      waiting.shift()
      happens(next)
    }
    if (isCancelled(frame.frame_at)) return { series, alerts }
    passes(frame)
  }
  isCancelled(Math.min(waiting[0]?.at ?? Infinity, events.cancelledAt ?? Number.MAX_SAFE_INTEGER))
  return { series, alerts }
}
