import { servicesOf, type FoundService, type ServiceRecord } from './service-records.js'

/** The question is asked again after this time, since answers are sent but once and may get lost. */
const REPEAT_MS = 700
const MAX_RECORDS = 2000

/**
 * The services of these types in the local network, by multicast DNS. Never fails and never takes longer than `waitMs`: where
 * multicast does not work, nothing is found.
 */
export async function browseServices(
  types: readonly string[],
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<FoundService[]> {
  const records: ServiceRecord[] = []
  const stop = await ask(types, (answers) => {
    if (records.length < MAX_RECORDS) records.push(...answers)
  })
  await sleep(waitMs, signal)
  stop()
  return servicesOf(types, records)
}

/** Asks and listens. Answers how to stop. */
async function ask(types: readonly string[], hear: (records: readonly ServiceRecord[]) => void): Promise<() => void> {
  try {
    const { default: makeMdns } = await import('multicast-dns')
    const mdns = makeMdns()
    const questions = types.map((type) => ({ name: `${type}.local`, type: 'PTR' as const }))
    const query = (): void => mdns.query(questions)
    const timer = setInterval(query, REPEAT_MS)
    // A network without multicast, or another program that keeps the port to itself: then there is nothing to be found.
    mdns.on('error', () => clearInterval(timer))
    mdns.on('warning', () => undefined)
    mdns.on('response', ({ answers, additionals }) => hear([...(answers ?? []), ...(additionals ?? [])]))
    query()
    return () => {
      clearInterval(timer)
      mdns.destroy()
    }
  } catch {
    return () => undefined
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const stop = (): void => {
      clearTimeout(timer)
      resolve()
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
