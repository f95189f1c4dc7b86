import type { Homes } from '../detection/homes.js'
import type { Bus } from '../ports.js'

/** How long a home may take to say that it has heard, or has done what is waited for. */
const ANSWER_MS = 2_000

const subjectOf = (printerId: number): string => `home.${printerId}`

/** Homes of printers among nodes: whoever holds an agent's socket listens on the printer's subject. */
export function busHomes(bus: Bus): Homes {
  /** How many sockets of each printer's agent are here: while one replaces another there are two. */
  const settled = new Map<number, number>()

  return {
    isAlone: false,
    settle(printerId, take) {
      settled.set(printerId, (settled.get(printerId) ?? 0) + 1)
      const stop = bus.subscribe(subjectOf(printerId), async (message) => {
        await take(message)
        return true
      })
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        stop()
        const left = (settled.get(printerId) ?? 1) - 1
        if (left > 0) settled.set(printerId, left)
        else settled.delete(printerId)
      }
    },
    isElsewhere: (printerId) => !settled.has(printerId),
    send: async (printerId, message) => (await bus.request(subjectOf(printerId), message, ANSWER_MS)) === true,
  }
}
