import { z } from 'zod'
import type { Bus, Log } from '../ports.js'

/** Detector nodes say so often that they are there. */
export const TELL_EVERY_MS = 2_000
/** One that was not heard of for so long is gone. Longer than a busy machine may hold up a timer. */
const GONE_AFTER_MS = 12_000
const CHECK_EVERY_MS = 1_000

/** Detector nodes tell of themselves here. */
export const PRESENT_SUBJECT = 'detectors'
/** Whoever wants to know them asks here. */
export const ROLL_CALL_SUBJECT = 'detectors.roll-call'

const NOBODY =
  'No detector is there: no process with "detector" in its PRINTWARDEN_ROLES runs, or none reaches the Redis server.'

/** What a detector node tells of itself. `problem` says why it cannot look at pictures; `isLeaving` is its last word. */
export const DetectorPresence = z.object({
  node: z.string().max(64),
  problem: z.string().max(2000).nullable(),
  isLeaving: z.boolean(),
})
export type DetectorPresence = z.infer<typeof DetectorPresence>

/** Which detector nodes there are, as this node has heard. */
export interface KnownDetectors {
  ready(): boolean
  /** Why no picture can be looked at; null when it can. */
  problem(): string | null
  /** How many can look at pictures now. */
  count(): number
  close(): void
}

/** Listens to detector nodes. That one came, left or died is logged. */
export function knowDetectors(bus: Bus, log: Log, goneAfterMs = GONE_AFTER_MS): KnownDetectors {
  const known = new Map<string, { readonly heardAt: number; readonly problem: string | null }>()
  const stopHearing = bus.subscribe(PRESENT_SUBJECT, (payload) => {
    const presence = DetectorPresence.safeParse(payload).data
    if (presence !== undefined) hear(presence)
  })
  const everyMs = Math.min(CHECK_EVERY_MS, goneAfterMs)
  const checking = setInterval(checkAll, everyMs).unref()
  let checkedAt = performance.now()
  bus.publish(ROLL_CALL_SUBJECT, null)

  function hear({ node, problem, isLeaving }: DetectorPresence): void {
    if (isLeaving) {
      if (known.delete(node)) log.info({ node, left: count() }, 'a detector has left')
      return
    }
    const before = known.get(node)
    known.set(node, { heardAt: performance.now(), problem })
    if (before?.problem === problem) return
    if (problem === null) log.info({ node, detectors: count() }, 'a detector is there')
    else log.warn({ node, problem }, 'a detector cannot look at pictures')
  }

  function checkAll(): void {
    const now = performance.now()
    // This node was held up itself, and what was said meanwhile is still to be heard.
    const isLate = now - checkedAt > 2 * everyMs
    checkedAt = now
    if (isLate) return
    const oldest = now - goneAfterMs
    for (const [node, { heardAt }] of known) {
      if (heardAt > oldest) continue
      known.delete(node)
      log.error({ node, left: count() }, 'a detector was not heard of any more')
    }
  }

  function count(): number {
    return [...known.values()].filter(({ problem }) => problem === null).length
  }

  return {
    ready: () => count() > 0,
    problem: () => (count() > 0 ? null : ([...known.values()][0]?.problem ?? NOBODY)),
    count,
    close() {
      stopHearing()
      clearInterval(checking)
    },
  }
}
