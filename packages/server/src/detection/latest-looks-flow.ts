import type { Detector, Findings } from './detector.js'
import { LatestQueue } from './latest-queue.js'
import type { Look, LookEnd, Looks, WantedLook } from './looks.js'

/** Pictures that are with the detector at a time, unless it says otherwise. */
const DEFAULT_LOOKING = 2

interface Waiting extends WantedLook {
  readonly offeredAt: number
}

/** The detector of this process, with the newest picture of each key before it. A key's pictures are handled one after another. */
export function latestLooks(detector: Detector): Looks {
  const maxLooking = detector.capacity ?? DEFAULT_LOOKING
  const queue = new LatestQueue<Waiting>()
  /** Keys of which a look is under way. */
  const busy = new Set<number>()
  let looking = 0
  let isClosed = false

  function offer(wanted: WantedLook): void {
    if (isClosed) return
    const replaced = queue.offer(wanted.key, wanted.at, { ...wanted, offeredAt: performance.now() }, wanted.group)
    if (replaced !== undefined) void replaced.ended({ type: 'dropped' })
    pump()
  }

  /** Takes as many as there is room for. */
  function pump(): void {
    const wanted = isClosed || looking >= maxLooking ? undefined : queue.take((key) => busy.has(key))
    if (wanted === undefined) return
    void follow(wanted)
    pump()
  }

  async function follow(wanted: Waiting): Promise<void> {
    busy.add(wanted.key)
    const end = await look(wanted)
    if (!isClosed) await wanted.ended(end)
    busy.delete(wanted.key)
    pump()
  }

  /** When the detector has answered, the next group has its turn, whatever follows from the answer. */
  async function look(wanted: Waiting): Promise<LookEnd> {
    const takenAt = performance.now()
    looking++
    try {
      const asked = await wanted.ask()
      if (asked === undefined) return { type: 'unwanted' }
      return { type: 'found', findings: await detector.detect(asked.picture, asked.options), takenAt }
    } catch (reason) {
      return { type: 'failed', reason }
    } finally {
      looking--
      pump()
    }
  }

  async function glance({ picture, options }: Look): Promise<Findings | undefined> {
    if (isClosed || looking > 0) return undefined
    looking++
    try {
      return await detector.detect(picture, options)
    } finally {
      looking--
      pump()
    }
  }

  return {
    offer,
    glance,
    isIdle: () => looking === 0,
    waiting() {
      const since = queue.values().map(({ offeredAt }) => offeredAt)
      return { frames: since.length, oldestMs: since.length === 0 ? 0 : performance.now() - Math.min(...since) }
    },
    close() {
      isClosed = true
      queue.clear()
    },
  }
}
