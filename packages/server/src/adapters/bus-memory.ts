import type { Bus, Log } from '../ports.js'

type Handler = (payload: unknown) => unknown

/** A bus inside one process. A handler runs after the publisher's own step, and its failure does not reach the publisher. */
export function memoryBus(log: Log): Bus {
  const handlers = new Map<string, Set<Handler>>()

  async function call(handler: Handler, subject: string, payload: unknown): Promise<unknown> {
    try {
      return await handler(payload)
    } catch (err) {
      log.error({ err, subject }, 'a bus handler failed')
      return undefined
    }
  }

  function publish(subject: string, payload: unknown): void {
    // Most statuses are of printers that nobody looks at.
    if (!handlers.has(subject)) return
    queueMicrotask(() => {
      for (const handler of handlers.get(subject) ?? []) void call(handler, subject, payload)
    })
  }

  function subscribe(subject: string, handler: Handler): () => void {
    const list = handlers.get(subject) ?? new Set()
    // Wrapped, so that one function subscribed twice counts twice.
    const entry: Handler = (payload) => handler(payload)
    handlers.set(subject, list.add(entry))
    return () => {
      list.delete(entry)
      if (list.size === 0 && handlers.get(subject) === list) handlers.delete(subject)
    }
  }

  function request(subject: string, payload: unknown, timeoutMs: number): Promise<unknown> {
    const list = [...(handlers.get(subject) ?? [])]
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      const settle = (answer?: unknown): void => {
        clearTimeout(timer)
        resolve(answer)
      }
      const answers = list.map(async (handler) => {
        const answer = await call(handler, subject, payload)
        if (answer !== undefined) settle(answer)
      })
      void Promise.all(answers).then(() => settle())
    })
  }

  return {
    publish,
    subscribe,
    request,
    async close() {
      handlers.clear()
    },
  }
}
