import type { PrinterConfig } from '../config/config-schema.js'
import { exitCodeOf, EXIT } from './exit-codes.js'
import { openPrinter, type PrinterEnd, type RunningPrinter } from '../flow.js'
import type { Log } from '../log/log.js'
import { systemClock } from '../time/system-clock.js'

export interface FleetOptions {
  readonly serverUrl: string
  readonly printers: readonly PrinterConfig[]
  readonly stateFolder: string
  readonly version: string
  readonly log: Log
}

/** How long the printers may take to close before the program ends regardless. */
const STOP_TIMEOUT_MS = 5_000

/**
 * Serves all printers until a signal stops the program, or until the server has refused every one of them.
 *
 * @returns the exit code
 */
export async function runFleet(options: FleetOptions): Promise<number> {
  const { serverUrl, stateFolder, version, log } = options
  const stopping = waitForSignal()
  const printers = await Promise.all(
    options.printers.map((config) =>
      openPrinter({
        config,
        serverUrl,
        stateFolder,
        version,
        clock: systemClock,
        log: log.child({ printer: config.name }),
        random: Math.random,
      }),
    ),
  )
  log.info({ version, printers: printers.length, server: serverUrl }, 'printwarden-agent runs')

  const ends: PrinterEnd[] = []
  const allEnded = Promise.all(printers.map((printer) => printer.ended.then((end) => ends.push(end))))
  const signal = await Promise.race([stopping, allEnded.then(() => undefined)])
  if (signal !== undefined) {
    log.info({ signal }, 'stopping')
    await Promise.race([closeAll(printers), sleep(STOP_TIMEOUT_MS)])
    return EXIT.stopped
  }
  return exitCodeOf(ends)
}

function closeAll(printers: readonly RunningPrinter[]): Promise<unknown> {
  return Promise.all(printers.map((printer) => printer.close()))
}

function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
