import { NOT_WATCHING_ADVICE, NOT_WATCHING_REASONS, type NotWatchingCode } from '@printwarden/protocol'

/** What a watched print's user hears when it is not watched any more, and when it is again. */
export interface WatchdogWording {
  readonly event_type: 'WATCHING_LOST' | 'WATCHING_BACK'
  readonly event_class: 'WARNING' | 'INFO'
  readonly event_title: string
  readonly event_text: string
}

/** Reasons that its user chose, or that need nobody's attention. */
const NOT_TOLD: readonly NotWatchingCode[] = ['disabled', 'not_printing', 'muted']

/**
 * How long a reason must hold until it is told. Pictures and analyses count as missing only after 90 seconds anyway, and a camera
 * that cannot see only after a while.
 */
const GRACE_MS: Partial<Record<NotWatchingCode, number>> = {
  offline: 90_000,
  detector_unavailable: 90_000,
  no_picture: 15_000,
  not_analysed: 15_000,
}

/** After the start of the server, agents have this long to come back before anything is told. */
export const START_GRACE_MS = 90_000

/** Whether this is something that breaks the watching of a print. */
export function isBroken(code: NotWatchingCode | null): code is NotWatchingCode {
  return code !== null && !NOT_TOLD.includes(code)
}

/** Whether a reason has held for long enough to be told. */
export function isDue(code: NotWatchingCode, brokenSince: number, serverSince: number, now: number): boolean {
  return now - serverSince >= START_GRACE_MS && now - brokenSince >= (GRACE_MS[code] ?? 0)
}

/** Nobody watches this print. */
export function lostWording(code: NotWatchingCode, filename: string): WatchdogWording {
  const advice = NOT_WATCHING_ADVICE[code]
  return {
    event_type: 'WATCHING_LOST',
    event_class: 'WARNING',
    event_title: 'Nobody is watching this print',
    event_text: [`${nameOf(filename)}: ${NOT_WATCHING_REASONS[code]}`, ...(advice === null ? [] : [advice])].join(' '),
  }
}

/** One camera does not watch it; another one does. */
export function cameraLostWording(code: NotWatchingCode, camera: string, filename: string): WatchdogWording {
  return { ...lostWording(code, filename), event_title: `${cameraName(camera)} does not watch this print` }
}

export function backWording(filename: string, camera?: string): WatchdogWording {
  const who = camera === undefined ? 'This print is' : `${cameraName(camera)} is`
  return {
    event_type: 'WATCHING_BACK',
    event_class: 'INFO',
    event_title: camera === undefined ? 'This print is watched again' : `${cameraName(camera)} watches again`,
    event_text:
      camera === undefined ? `${nameOf(filename)} is watched again.` : `${who} watching ${nameOf(filename)} again.`,
  }
}

const nameOf = (filename: string): string => (filename === '' ? 'The print' : filename)
const cameraName = (camera: string): string => (camera === '' ? 'The camera' : `The camera “${camera}”`)

/** How long the user has to answer an automatic pause until a printer that may do so cancels the print. */
export const CANCEL_AFTER_MS = 10 * 60_000
/** A cancel that no agent took is tried again after this long, and so often in all. */
export const CANCEL_RETRY_MS = 60_000
export const CANCEL_TRIES = 5

/** What decides whether a paused print is cancelled (decision 24). */
export interface CancelFacts {
  readonly action: string
  readonly auto_paused_at: number | null
  readonly alert_acknowledged_at: number | null
  readonly rearmed_at: number | null
  readonly alert_muted_at: number | null
  /** Whether the printer stands paused. */
  readonly isPaused: boolean
  /** Whether it has gone on since that pause: somebody resumed it, at the printer for instance, and a pause now is another one. */
  readonly isResumed: boolean
  /** The cancels since that pause, the last one first. */
  readonly cancels: readonly {
    readonly status: string
    readonly created_at: number
    readonly acked_at: number | null
  }[]
}

/**
 * Whether to cancel now: only where the user has asked for that, only a print that the server itself has paused and that is paused
 * still, only when nobody has answered for ten minutes, and until an agent has taken it.
 */
export function shouldCancel(facts: CancelFacts, now: number): boolean {
  const { action, auto_paused_at, isPaused, isResumed, cancels } = facts
  if (action !== 'CANCEL' || auto_paused_at === null || !isPaused || isResumed) return false
  if (facts.alert_muted_at !== null || cancels.length >= CANCEL_TRIES) return false
  const answeredAt = Math.max(facts.alert_acknowledged_at ?? 0, facts.rearmed_at ?? 0)
  if (answeredAt >= auto_paused_at || now - auto_paused_at < CANCEL_AFTER_MS) return false
  const [last] = cancels
  if (last === undefined) return true
  // Out of time without an answer: the server or the connection ended before the agent had it.
  const isUntaken = last.status === 'failed' || (last.status === 'timed_out' && last.acked_at === null)
  return isUntaken && now - last.created_at >= CANCEL_RETRY_MS
}

/** Whether none of these cancels was handed to an agent: the first that is, is told, and not again when it has to be sent again. */
export function isFirstToReach(earlier: CancelFacts['cancels']): boolean {
  return earlier.every(({ status, acked_at }) => status === 'failed' && acked_at === null)
}

/** How the history tells of a cancel by the server. */
export function cancelWording(filename: string) {
  return {
    event_type: 'FAILURE_ALERTED',
    event_class: 'ERROR',
    event_title: 'Failing print cancelled',
    event_text: `${nameOf(filename)} was paused because it seems to be failing, and nobody answered for ten minutes. It was told to cancel, as this printer is set to.`,
  } as const
}
