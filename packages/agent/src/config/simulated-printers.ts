import type { PrinterConfig } from './config-schema.js'

export interface Simulation {
  readonly tokens: readonly string[]
  /** Whether one of the prints goes wrong. */
  readonly fail: boolean
  /** Seconds that one print takes. */
  readonly duration: number
  /** Seconds between pictures while printing. */
  readonly interval: number
  /** Whether the printers have cameras. */
  readonly pictures: boolean
  /** The look of the first printer; each has another. */
  readonly seed?: number
}

/** A printer that fails and one that does not look different also when each is simulated by a process of its own. */
const FAILING_SEED = 5016
const GOOD_SEED = 6016
/** Early enough to watch the failure grow, late enough to have seen the print go well. */
const FAIL_AT = 0.1

/** The configuration of simulated printers, one for each token. The first one is the one that fails. */
export function simulatedPrinters({ tokens, fail, duration, interval, pictures, seed }: Simulation): PrinterConfig[] {
  return tokens.map((authToken, index) => ({
    name: `simulated-${index + 1}`,
    authToken,
    host: {
      host: 'virtual',
      duration,
      heating: 5,
      ...(fail && index === 0 ? { fail_at: FAIL_AT } : {}),
      rest: 20,
      repeat: true,
      autostart: true,
      seed: (seed ?? (fail && index === 0 ? FAILING_SEED : GOOD_SEED)) + index * 100,
    },
    cameras: pictures
      ? [
          {
            label: 'camera',
            source: { type: 'generated' },
            primary: true,
            nozzle: false,
            change: { flipH: false, flipV: false, rotation: 0, maxSize: undefined },
            intervalMs: interval * 1000,
          },
        ]
      : [],
  }))
}
