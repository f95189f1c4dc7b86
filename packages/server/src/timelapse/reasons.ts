import type { TimelapseReason, TimelapseState } from '@printwarden/protocol'
import type { PrintRow } from '../prints/store.js'

/** The lengths below which a printer's prints get no time-lapse, in seconds; negative means never. */
export interface MinimumLengths {
  readonly min_timelapse_secs_on_finish: number
  readonly min_timelapse_secs_on_cancel: number
}

type Ended = Pick<PrintRow, 'started_at' | 'finished_at' | 'cancelled_at'>

/** Why a print that has ended gets no time-lapse by its printer's settings; undefined when it gets one. */
export function reasonAgainst(print: Ended, limits: MinimumLengths): TimelapseReason | undefined {
  const endedAt = print.finished_at ?? print.cancelled_at
  if (endedAt === null) return undefined
  const isFinished = print.finished_at !== null
  const minimum = isFinished ? limits.min_timelapse_secs_on_finish : limits.min_timelapse_secs_on_cancel
  if (minimum < 0) return 'turned_off'
  return (endedAt - print.started_at) / 1000 < minimum ? 'too_short' : undefined
}

/** Whether the print goes on. */
export function isRunning({ state }: Pick<PrintRow, 'state'>): boolean {
  return state === 'running' || state === 'paused'
}

/** How far a print's time-lapse is. */
export interface TimelapseStep {
  readonly timelapse_state: TimelapseState | null
  readonly timelapse_progress: number
  readonly timelapse_reason: TimelapseReason | null
}

export const stepOf = (
  state: TimelapseState | null,
  progress = 0,
  reason: TimelapseReason | null = null,
): TimelapseStep => ({ timelapse_state: state, timelapse_progress: progress, timelapse_reason: reason })
