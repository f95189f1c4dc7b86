import type { Clock, Database, LiveStore, Log } from '../ports.js'
import { cameraSmoothingKey, SMOOTHING_TTL_MS, smoothingKey } from '../printers/live-keys.js'
import { type PrinterRow, setSmoothing } from '../printers/store.js'
import { type CameraRow, setCameraSmoothing } from './cameras/cameras-store.js'
import { byClock, readState } from './smoothing/smoothing.js'
import type { SmoothingKind, SmoothingState } from './smoothing/smoothing-state.js'

/** How much a server that was killed may forget. */
const CHECKPOINT_EVERY_MS = 30_000

export interface StateFlowDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly clock: Clock
  readonly log: Log
  readonly kind: SmoothingKind
}

/** Whose state it is: that of a printer's camera. Null stands for the primary one, which a printer may have before its first picture. */
export interface StateOwner {
  readonly printer: PrinterRow
  readonly camera: CameraRow | null
}

/** The camera whose id names a state; null for the primary one, whose state the printer's row has. */
export function ownerOf(printer: PrinterRow, camera: CameraRow | null): StateOwner {
  return { printer, camera: camera?.is_primary === 1 ? null : camera }
}

export type StateFlow = ReturnType<typeof stateFlow>

/**
 * Where smoothing states are kept, one for each camera: in the live store, and now and then in the database, so that a restart
 * keeps them.
 */
export function stateFlow({ database, live, clock, log, kind }: StateFlowDeps) {
  /** States that the database does not have yet. */
  const unsaved = new Map<string, { owner: StateOwner; state: SmoothingState }>()
  const savedAt = new Map<string, number>()

  const keyOf = ({ printer, camera }: StateOwner): string =>
    camera === null ? smoothingKey(printer.id) : cameraSmoothingKey(camera.id)

  async function read(owner: StateOwner): Promise<SmoothingState> {
    const kept = await live.get(keyOf(owner))
    return byClock(readState(kept ?? parsed((owner.camera ?? owner.printer).smoothing), kind), clock.now())
  }

  /** Keeps the state; false when a newer one is there. */
  async function keep(owner: StateOwner, state: SmoothingState): Promise<boolean> {
    const options = { ts: state.frame_at ?? 0, ttlMs: SMOOTHING_TTL_MS }
    const isKept = await live.put(keyOf(owner), state, options)
    if (isKept) unsaved.set(keyOf(owner), { owner, state })
    return isKept
  }

  /** Writes the state to the database if that is due. Never rejects: it is only needed after a restart. */
  async function checkpoint(owner: StateOwner, isDue = false): Promise<void> {
    const key = keyOf(owner)
    const kept = unsaved.get(key)
    const now = clock.now()
    if (kept === undefined || (!isDue && Math.abs(now - (savedAt.get(key) ?? 0)) < CHECKPOINT_EVERY_MS)) return
    unsaved.delete(key)
    savedAt.set(key, now)
    await save(owner, JSON.stringify(kept.state)).catch((err: unknown) => {
      log.warn({ err, printer_id: owner.printer.id }, 'the detection state could not be saved')
    })
  }

  async function save({ printer, camera }: StateOwner, text: string): Promise<void> {
    if (camera === null) await setSmoothing(database.db, printer.id, text)
    else await setCameraSmoothing(database.db, camera.id, text)
  }

  async function close(): Promise<void> {
    for (const { owner } of unsaved.values()) await checkpoint(owner, true)
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
