import { z } from 'zod'
import type { HostSnapshot } from '../../host.js'
import { stateOfPhase } from '../../tracking/host-state.js'
import { NEW_WATCH, type Watch } from './watch.js'

/** Longer than any print: beyond it the clock was set meanwhile. */
const LONGEST_PRINT_S = 60 * 24 * 3600

/**
 * What a printer that only its camera tells of is said to do: it prints while it is watched. No temperature, no progress and no file
 * are made up.
 */
export function snapshotOf({ watched, outcome }: Watch, wallMs: number): HostSnapshot {
  const phase = watched ? 'printing' : 'idle'
  const base = { state: stateOfPhase(phase), watched_by: 'picture' as const }
  if (!watched) return { phase, outcome, status: base }
  const { name, sinceWallMs } = watched
  const seconds = Math.round((wallMs - sinceWallMs) / 1000)
  const printTime = seconds >= 0 && seconds < LONGEST_PRINT_S ? seconds : null
  const progress = { completion: null, filepos: null, printTime, printTimeLeft: null }
  return { phase, outcome: null, status: { ...base, job: { file: { name, path: name, display: name } }, progress } }
}

const Kept = z.object({
  watched: z
    .object({
      name: z.string(),
      startedBy: z.enum(['person', 'motion']),
      sinceWallMs: z.number(),
      hasMoved: z.boolean(),
    })
    .nullable(),
  isHeld: z.boolean(),
})

/** What must survive a restart of the agent. */
export function keptOf({ watched, isHeld }: Watch): z.infer<typeof Kept> {
  return { watched, isHeld }
}

/** Goes on where the agent was stopped; afresh when nothing is known. */
export function watchOf(kept: unknown): Watch {
  return { ...NEW_WATCH, ...Kept.safeParse(kept).data }
}
