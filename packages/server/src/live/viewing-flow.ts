import type { Bus } from '../ports.js'
import { agentSubject, type ToAgent } from '../printers/notices.js'

const ASK_TIMEOUT_MS = 500

export type ViewingFlow = ReturnType<typeof viewingFlow>

/**
 * Whether somebody looks at a printer now: then its agent sends pictures more often. Each node counts its own subscribers and
 * answers for them.
 */
export function viewingFlow({ bus }: { readonly bus: Bus }) {
  /** The printers looked at by subscribers of this node. */
  const viewed = new Map<number, { count: number; readonly stop: () => void }>()

  function tell(printerId: number, viewing: boolean): void {
    const frame: ToAgent = { type: 'remote_status', viewing }
    bus.publish(agentSubject(printerId), frame)
  }

  function look(printerId: number): void {
    const entry = viewed.get(printerId)
    if (entry !== undefined) {
      entry.count += 1
      return
    }
    viewed.set(printerId, { count: 1, stop: bus.subscribe(viewingSubject(printerId), () => true) })
    tell(printerId, true)
  }

  function lookAway(printerId: number): void {
    const entry = viewed.get(printerId)
    if (entry === undefined) return
    entry.count -= 1
    if (entry.count > 0) return
    entry.stop()
    viewed.delete(printerId)
    void tellUnlessViewed(printerId)
  }

  /** Somebody may still look from another node, or again. */
  async function tellUnlessViewed(printerId: number): Promise<void> {
    if (!(await isViewed(printerId))) tell(printerId, false)
  }

  /** Whether anybody looks, at any node. An agent that connects is told. */
  async function isViewed(printerId: number): Promise<boolean> {
    return (await bus.request(viewingSubject(printerId), null, ASK_TIMEOUT_MS)) === true
  }

  return { look, lookAway, isViewed }
}

const viewingSubject = (printerId: number): string => `viewing.${printerId}`
