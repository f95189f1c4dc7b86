import { z } from 'zod'
import { NO_PROGRESS } from '../prints/lifecycle.js'
import type { PrintProgress, TrackedPrint } from '../prints/tracked-print.js'

/** The live store keeps the progress of the running print while its agent is away. */
export const progressKey = (printerId: number): string => `progress:${printerId}`

export const PROGRESS_TTL_MS = 7 * 24 * 3_600_000

const amount = z.number().nullable()
const Kept = z.object({
  current_print_ts: z.number(),
  completion: amount,
  print_time: amount,
  filament_used: amount,
})

/** The progress that was kept, if it is of this print. */
export function readProgress(value: unknown, running: TrackedPrint | undefined): PrintProgress {
  const kept = Kept.safeParse(value).data
  if (kept === undefined || kept.current_print_ts !== running?.current_print_ts) return NO_PROGRESS
  const { completion, print_time, filament_used } = kept
  return { completion, print_time, filament_used }
}
