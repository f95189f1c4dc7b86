import type { Printer } from './resources.js'

type Printers = ReadonlyMap<number, Printer>
type Found<T> = Exclude<T, undefined | null | false>

interface Waiter {
  /** Looks at the printers; true once it has found what it waits for. */
  look(printers: Printers): boolean
  fail(error: unknown): void
}

/** Those who wait for something to become true of the printers. */
export interface LiveWaiters {
  add<T>(find: (printers: Printers) => T, printers: Printers, signal: AbortSignal | undefined): Promise<Found<T>>
  look(printers: Printers): void
  /** Fails all who wait, and all who come later. */
  fail(error: Error): void
}

/** An empty set of waiters. */
export function liveWaiters(): LiveWaiters {
  const waiters = new Set<Waiter>()
  let failure: Error | undefined

  function add<T>(
    find: (printers: Printers) => T,
    printers: Printers,
    signal: AbortSignal | undefined,
  ): Promise<Found<T>> {
    return new Promise((resolve, reject) => {
      const waiter = waiterOf(find, resolve, reject)
      if (failure !== undefined) return reject(failure)
      if (signal?.aborted === true) return reject(signal.reason)
      if (waiter.look(printers)) return
      waiters.add(waiter)
      signal?.addEventListener('abort', () => {
        if (waiters.delete(waiter)) reject(signal.reason)
      })
    })
  }

  return {
    add,
    look(printers) {
      for (const waiter of waiters) if (waiter.look(printers)) waiters.delete(waiter)
    },
    fail(error) {
      failure = error
      for (const waiter of waiters) waiter.fail(error)
      waiters.clear()
    },
  }
}

function waiterOf<T>(
  find: (printers: Printers) => T,
  resolve: (found: Found<T>) => void,
  reject: (reason: unknown) => void,
): Waiter {
  return {
    look(printers) {
      try {
        const found = find(printers)
        if (!isFound(found)) return false
        resolve(found)
      } catch (error) {
        reject(error)
      }
      return true
    },
    fail: reject,
  }
}

function isFound<T>(found: T): found is Found<T> {
  return found !== undefined && found !== null && found !== false
}
