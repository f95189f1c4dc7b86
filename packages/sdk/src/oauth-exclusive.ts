/** Runs one piece of work at a time. */
export type Exclusive = <T>(work: () => Promise<T>) => Promise<T>

/**
 * A tab may see what another has written to `localStorage` a moment after the lock has come over from it (in Chromium tabs are
 * processes, and the two travel apart). So a lock is kept a little longer than the work takes; who asked for the work does not wait.
 */
const SETTLE_MS = 300

/**
 * One at a time among all who share a name: the tabs of a browser, where it has locks (secure pages), and always the callers in this
 * one place.
 */
export function exclusiveOf(name: string): Exclusive {
  const locks = globalThis.navigator?.locks
  // In Node the lock would be shared by unrelated parts of one process that have storages of their own.
  return locks !== undefined && typeof document !== 'undefined' ? exclusiveAmongTabs(locks, name) : exclusiveHere()
}

function exclusiveAmongTabs(locks: LockManager, name: string): Exclusive {
  return <T>(work: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const held = locks.request(name, async () => {
        await work().then(resolve, reject)
        await new Promise((settled) => setTimeout(settled, SETTLE_MS))
      })
      // A page that may not use locks hears of it.
      held.catch(reject)
    })
}

function exclusiveHere(): Exclusive {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
