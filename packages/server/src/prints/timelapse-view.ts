import { type Timelapse, TIMELAPSE_REASONS, TimelapseReason, TimelapseState } from '@printwarden/protocol'
import type { PrintRow } from './store.js'

const State = TimelapseState.nullable()
const Reason = TimelapseReason.nullable()

/** How far a print's time-lapse is; null when none was asked for yet. */
export function timelapseView(
  print: Pick<PrintRow, 'timelapse_state' | 'timelapse_progress' | 'timelapse_reason'>,
): Timelapse | null {
  const state = State.parse(print.timelapse_state)
  if (state === null) return null
  const reason_code = Reason.parse(print.timelapse_reason)
  const reason = reason_code === null ? null : TIMELAPSE_REASONS[reason_code]
  return { state, progress: print.timelapse_progress, reason, reason_code }
}
