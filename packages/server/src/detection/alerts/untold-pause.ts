import type { AlertFacts } from './alert.js'

/**
 * A server that lives has told of its pause by then, or has given up. One that ended between the pause and the alert never will.
 */
export const UNTOLD_AFTER_MS = 3 * 60_000

/** What decides whether a paused print's user was told why. */
export interface UntoldFacts extends Pick<AlertFacts, 'auto_paused_at' | 'alert_muted_at'> {
  /** The newest pause of this print that reached an agent, whoever asked for it. */
  readonly pause:
    | { readonly initiator: string; readonly reason: string | null; readonly created_at: number }
    | undefined
}

/** Whether the print stands paused by the server, and nobody was told that it is failing. */
export function isUntold({ pause, auto_paused_at, alert_muted_at }: UntoldFacts, now: number): boolean {
  if (pause?.initiator !== 'system' || pause.reason !== 'failing' || alert_muted_at !== null) return false
  return now - pause.created_at >= UNTOLD_AFTER_MS && (auto_paused_at === null || auto_paused_at < pause.created_at)
}
