import type { Log } from '../ports.js'

/** Work that a request starts but does not wait for, so that neither its time nor its failure shows. */
export interface Background {
  run(what: string, work: () => Promise<void>): void
  /** Resolves when everything that was started has ended. */
  settled(): Promise<void>
}

export function background(log: Log): Background {
  const running = new Set<Promise<void>>()
  return {
    run(what, work) {
      const done: Promise<void> = work()
        .catch((err: unknown) => log.error({ err }, what))
        .finally(() => running.delete(done))
      running.add(done)
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
