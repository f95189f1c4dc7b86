import type { Clock } from '../../time/clock.js'
import type { Connection } from './connection-client.js'

/** Keeps the printer telling how hot it is, and where its head is. */
export interface Polling {
  /** The printer has just answered: what it tells by itself is turned on. */
  begin(): void
  sawTemperatures(): void
  close(): void
}

const REPORT_S = 2
const POSITION_S = 4
const POLL_MS = 3_000
/** A printer that tells by itself is asked again when it has forgotten to. */
const FORGOTTEN_MS = 15_000

/** `extra` are queries to be repeated, such as M27, with what the printer must be able to do to tell it by itself. */
export function openPolling(
  connection: Connection,
  clock: Clock,
  extra: readonly { readonly query: string; readonly capability: string }[] = [],
): Polling {
  const queries = [{ query: 'M105', capability: 'AUTOREPORT_TEMP' }, ...extra]
  let sawMs = clock.monotonicMs()
  let isAsking = false

  function ask(commands: readonly string[]): void {
    if (isAsking || commands.length === 0) return
    isAsking = true
    connection.send(commands).then(
      () => (isAsking = false),
      () => (isAsking = false),
    )
  }

  const stop = clock.every(POLL_MS, () => {
    if (!connection.isReady) return
    const isForgotten = clock.monotonicMs() - sawMs >= FORGOTTEN_MS
    ask(queries.filter(({ capability }) => isForgotten || !connection.has(capability)).map(({ query }) => query))
  })

  return {
    begin: () => {
      sawMs = clock.monotonicMs()
      isAsking = false
      const commands = [
        ...(connection.has('AUTOREPORT_TEMP') ? [`M155 S${REPORT_S}`] : []),
        ...(connection.has('AUTOREPORT_POS') ? [`M154 S${POSITION_S}`] : []),
        ...(extra.length > 0 && connection.has('AUTOREPORT_SD_STATUS') ? [`M27 S${REPORT_S}`] : []),
        // What it tells from now on must first be known as it is.
        ...extra.map(({ query }) => query),
      ]
      connection.send(commands).catch(() => undefined)
    },
    sawTemperatures: () => {
      sawMs = clock.monotonicMs()
    },
    close: stop,
  }
}
