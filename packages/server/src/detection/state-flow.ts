import type { Clock, Database, LiveStore, Log } from '../ports.js'
import { SMOOTHING_TTL_MS, smoothingKey } from '../printers/live-keys.js'
import { type PrinterRow, setSmoothing } from '../printers/store.js'
import { readState } from './smoothing.js'
import type { SmoothingKind, SmoothingState } from './smoothing-state.js'

/** How much a server that was killed may forget. */
const CHECKPOINT_EVERY_MS = 30_000

export interface StateFlowDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly clock: Clock
  readonly log: Log
  readonly kind: SmoothingKind
}

export type StateFlow = ReturnType<typeof stateFlow>

/** Where smoothing states are kept: in the live store, and now and then in the printer's row, so that a restart keeps them. */
export function stateFlow({ database, live, clock, log, kind }: StateFlowDeps) {
  /** States that the database does not have yet. */
  const unsaved = new Map<number, SmoothingState>()
  const savedAt = new Map<number, number>()

  async function read(printer: PrinterRow): Promise<SmoothingState> {
    const kept = await live.get(smoothingKey(printer.id))
    return readState(kept ?? parsed(printer.smoothing), kind)
  }

  /** Keeps the state; false when a newer one is there. */
  async function keep(printerId: number, state: SmoothingState): Promise<boolean> {
    const options = { ts: state.frame_at ?? 0, ttlMs: SMOOTHING_TTL_MS }
    const isKept = await live.put(smoothingKey(printerId), state, options)
    if (isKept) unsaved.set(printerId, state)
    return isKept
  }

  /** Writes the state to the printer's row if that is due. Never rejects: it is only needed after a restart. */
  async function checkpoint(printerId: number, isDue = false): Promise<void> {
    const state = unsaved.get(printerId)
    const now = clock.now()
    if (state === undefined || (!isDue && now - (savedAt.get(printerId) ?? 0) < CHECKPOINT_EVERY_MS)) return
    unsaved.delete(printerId)
    savedAt.set(printerId, now)
    await setSmoothing(database.db, printerId, JSON.stringify(state)).catch((err: unknown) => {
      log.warn({ err, printer_id: printerId }, 'the detection state could not be saved')
    })
  }

  async function close(): Promise<void> {
    for (const printerId of unsaved.keys()) await checkpoint(printerId, true)
  }

  return { read, keep, checkpoint, close }
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
