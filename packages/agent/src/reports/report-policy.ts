/** A status message that was sent: when, and the state it told. */
export interface SentReport {
  readonly atMs: number
  readonly state: string
}

/**
 * While a job is under way, or while somebody watches: fast enough for a progress bar and for temperature curves, and half
 * of what a host tells.
 */
export const ACTIVE_INTERVAL_MS = 2_000

/** Otherwise. A server takes a printer for offline after 120 s of silence; this leaves room for three lost messages. */
export const IDLE_INTERVAL_MS = 30_000

/**
 * Whether a status message is due. A change of state is always due; otherwise the interval decides.
 *
 * @param state everything whose change cannot wait, as one string: the state and the running print
 */
export function isReportDue(
  last: SentReport | undefined,
  state: string,
  attention: { readonly active: boolean; readonly viewing: boolean },
  nowMs: number,
): boolean {
  if (last === undefined || last.state !== state) return true
  const intervalMs = attention.active || attention.viewing ? ACTIVE_INTERVAL_MS : IDLE_INTERVAL_MS
  return nowMs - last.atMs >= intervalMs
}
