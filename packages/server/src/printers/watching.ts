import type { NotWatchingCode, PrinterStatus } from '@printwarden/protocol'
import type { PrinterRow } from './store.js'
import type { CameraWatch, WatchState } from './watch-state.js'

/** A camera that has sent nothing for this long is not being watched: agents send every ten seconds while printing. */
export const PIC_MISSING_AFTER_MS = 3 * 60_000

/** A print whose last analysed frame is older than this is not being watched. */
export const WATCHED_WITHIN_MS = 90_000

/** What decides whether pictures of a printer are checked for failures. */
export interface WatchingFacts {
  readonly printer: Pick<PrinterRow, 'watching_enabled'>
  /** The printer's current print. */
  readonly print: { readonly alert_muted_at: number | null; readonly started_at?: number } | null
  readonly status: PrinterStatus | null
  /** When the newest picture was taken, in Unix seconds. */
  readonly pic: { readonly ts: number } | null
  readonly detectorReady: boolean
  /** What is known of the printer's cameras; left out where only the picture at hand counts. */
  readonly watch?: WatchState | null
}

/** Why the printer's pictures are not checked for failures; null when they are. The first reason that holds. */
export function notWatchingCode(facts: WatchingFacts, now: number): NotWatchingCode | null {
  const { printer, print, status, pic } = facts
  if (printer.watching_enabled === 0) return 'disabled'
  if (!facts.detectorReady) return 'detector_unavailable'
  if (status === null || status.state.text === 'Offline') return 'offline'
  if (!status.state.flags.printing || print === null) return 'not_printing'
  if (print.alert_muted_at !== null) return 'muted'
  const cameras = lookedAt(facts.watch)
  // Nothing is known of its cameras after a restart, until the first picture.
  if (cameras.length === 0) return pic === null || now - pic.ts * 1000 > PIC_MISSING_AFTER_MS ? 'no_picture' : null
  const codes = cameras.map((camera) => cameraCode(camera, print.started_at, now))
  // One camera that sees is enough for the print to be watched; what is wrong with the others is told with them.
  return codes.includes(null) ? null : (codes[0] ?? null)
}

/** The cameras whose pictures are looked at for failures. */
export function lookedAt(watch: WatchState | null | undefined): CameraWatch[] {
  return (watch?.cameras ?? []).filter(({ detection_enabled }) => detection_enabled)
}

/**
 * Why one camera does not watch a print that is to be watched; null when it does.
 *
 * @param startedAt when the print began: a picture of it cannot have been analysed before
 */
export function cameraCode(camera: CameraWatch, startedAt: number | undefined, now: number): NotWatchingCode | null {
  const { frame_at, analysed_at, excused_at, quality, self_test } = camera
  const waitsSince = Math.max(startedAt ?? 0, excused_at ?? 0)
  if (now - Math.max(frame_at ?? 0, waitsSince) > WATCHED_WITHIN_MS) return 'no_picture'
  if (quality.problem !== null) return quality.problem
  if (now - Math.max(analysed_at ?? 0, waitsSince) > WATCHED_WITHIN_MS) return 'not_analysed'
  return self_test?.passed === false ? 'self_test_failed' : null
}

/**
 * Whether the agent should send pictures at the pace that detection needs. It is told so (`remote_status.should_watch`) and
 * stays true through a pause, so that nothing is missed when the print goes on.
 */
export function shouldWatch({ printer, print }: Pick<WatchingFacts, 'printer' | 'print'>): boolean {
  return printer.watching_enabled !== 0 && print !== null && print.alert_muted_at === null
}
