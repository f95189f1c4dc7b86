import type { PrinterEnd } from '../flow.js'

/** How the program ends, as the operations page has it. */
export const EXIT = { stopped: 0, failed: 1, badConfig: 2, unauthorized: 3, replaced: 4 } as const

/** The exit code of an agent whose printers have ended like this, in this order: the first refusal counts. */
export function exitCodeOf(ends: readonly PrinterEnd[]): number {
  const refusal = ends.find((end) => end !== 'closed')
  return refusal === undefined ? EXIT.stopped : EXIT[refusal]
}
