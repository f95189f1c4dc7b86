/** Runs one piece of work at a time. */
export type Exclusive = <T>(work: () => Promise<T>) => Promise<T>

/**
 * One at a time among all who share a name: the tabs of a browser, where it has locks (secure pages), and always the callers in this
 * one place.
 */
export function exclusiveOf(name: string): Exclusive {
  const locks = globalThis.navigator?.locks
  // In Node the lock would be shared by unrelated parts of one process that have storages of their own.
  if (locks !== undefined && typeof document !== 'undefined') return async (work) => await locks.request(name, work)
  return exclusiveHere()
}

function exclusiveHere(): Exclusive {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
