import type { ActionOnFailure } from '@printwarden/protocol'
import type { AlertOutcome } from './alert-wording.js'
import type { Level } from '../smoothing/smoothing-state.js'

/** What is known of a print's alerts: columns of its row. */
export interface AlertFacts {
  readonly alerted_at: number | null
  readonly alert_acknowledged_at: number | null
  readonly alert_muted_at: number | null
  /** The first pause by the server. */
  readonly paused_at: number | null
  /** The last pause by the server. */
  readonly auto_paused_at: number | null
  readonly rearmed_at: number | null
}

/**
 * quiet: nothing was told. warned: the user was told and has not answered, the print goes on. alerted: the same, and the server
 * paused the print. acknowledged: the user has answered. muted: the user does not want to know about this print.
 */
export type AlertState = 'quiet' | 'warned' | 'alerted' | 'acknowledged' | 'muted'

/** What one frame, smoothed, asks for. */
export type AlertStep =
  | { readonly type: 'nothing' }
  | { readonly type: 'alert'; readonly is_warning: boolean }
  /**
   * `tellIfUndelivered`: the user is told even when no agent takes the pause; else the next frame just tries again. `isRetry`: the
   * printer did not obey the pause before, of which the user was told.
   */
  | { readonly type: 'pause'; readonly tellIfUndelivered: boolean; readonly isRetry: boolean }

/** After an alert, and after the user's answer, nothing more is told for this long. */
export const COOLDOWN_MS = 90_000
/** A pause that no agent took is tried again after this long, while the print still fails. */
export const PAUSE_RETRY_MS = 10_000

const NOTHING: AlertStep = { type: 'nothing' }

/** When the user answered last: by acknowledging the alert, or by allowing another pause. */
export function answeredAt(facts: Pick<AlertFacts, 'alert_acknowledged_at' | 'rearmed_at'>): number {
  return Math.max(facts.alert_acknowledged_at ?? 0, facts.rearmed_at ?? 0)
}

export function alertStateOf(facts: AlertFacts): AlertState {
  const { alerted_at, alert_acknowledged_at, auto_paused_at } = facts
  if (facts.alert_muted_at !== null) return 'muted'
  if (alerted_at === null) return 'quiet'
  if (alert_acknowledged_at !== null && alert_acknowledged_at >= alerted_at) return 'acknowledged'
  return auto_paused_at !== null && auto_paused_at >= alerted_at ? 'alerted' : 'warned'
}

/** The server pauses a print once by itself, and once more each time the user allows it (decision 24). */
export function mayPause(facts: Pick<AlertFacts, 'auto_paused_at' | 'rearmed_at'>): boolean {
  return facts.auto_paused_at === null || (facts.rearmed_at !== null && facts.rearmed_at > facts.auto_paused_at)
}

function isRecent(instant: number | null, now: number): boolean {
  return instant !== null && now - instant < COOLDOWN_MS
}

/** Whether another alert would only repeat the last one. */
function isSuppressed(facts: AlertFacts, now: number): boolean {
  const state = alertStateOf(facts)
  return state === 'warned' || state === 'alerted' || isRecent(facts.alerted_at, now)
}

/**
 * What a frame of this level asks for.
 *
 * @param pauseTriedAt when a pause of this print was tried last and no agent took it
 * @param isPauseRefused whether an agent took the server's last pause and the printer did not obey: such a pause does not count
 */
export function judgeFrame(
  facts: AlertFacts,
  level: Level,
  action: ActionOnFailure,
  now: number,
  pauseTriedAt: number | null,
  isPauseRefused = false,
): AlertStep {
  if (level === 'fine' || alertStateOf(facts) === 'muted') return NOTHING
  if (isRecent(answeredAt(facts), now)) return NOTHING
  const suppressed = isSuppressed(facts, now)
  const isRetry = isPauseRefused && !mayPause(facts)
  if (level === 'failing' && action !== 'NONE' && (isRetry || mayPause(facts))) {
    const triedAt = isRetry ? Math.max(pauseTriedAt ?? 0, facts.auto_paused_at ?? 0) : pauseTriedAt
    if (triedAt !== null && now - triedAt < PAUSE_RETRY_MS) return NOTHING
    return { type: 'pause', tellIfUndelivered: !suppressed && !isRetry, isRetry }
  }
  return suppressed ? NOTHING : { type: 'alert', is_warning: level === 'warning' }
}

/** How a step that was carried out changes the facts. `delivered` says whether an agent took the pause. */
export function afterStep(facts: AlertFacts, step: AlertStep, delivered: boolean, now: number): Partial<AlertFacts> {
  if (step.type === 'pause' && delivered) {
    if (step.isRetry) return { auto_paused_at: now }
    return { alerted_at: now, auto_paused_at: now, paused_at: facts.paused_at ?? now }
  }
  const isTold = step.type === 'alert' || (step.type === 'pause' && step.tellIfUndelivered)
  return isTold ? { alerted_at: now } : {}
}

/** How a step that was carried out is told. */
export function outcomeOf(step: AlertStep, delivered: boolean, action: ActionOnFailure): AlertOutcome {
  if (step.type === 'pause') return delivered ? 'paused' : 'undelivered'
  if (step.type === 'alert' && step.is_warning) return 'warning'
  return action !== 'NONE' ? 'used_up' : 'not_wanted'
}
