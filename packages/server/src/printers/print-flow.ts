import { LastAction } from '@printwarden/protocol'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { insertPrinterEvent, type PrinterEventRow } from '../prints/events-store.js'
import { type Effect, NOTHING_RUNS, type Step, type Tracking } from '../prints/lifecycle.js'
import { findPrint, findPrintByTs, findRunningPrint, insertPrint, type PrintRow, updatePrint } from '../prints/store.js'
import { type Happening, PRINT_STATES, type TrackedPrint } from '../prints/tracked-print.js'
import { setCurrentPrint } from './store.js'
import type { Tables } from '../tables.js'
import { historyLine } from '../prints/history.js'
import { actionOf, commandFor, namesOf } from '../prints/last-action.js'
import type { Actor } from './actor-flow.js'
import { findCommandBehind } from './commands-store.js'

const PrintStateSchema = z.enum(PRINT_STATES)

/** Whose prints they are. */
export interface PrintOwner {
  readonly printer_id: number
  readonly user_id: number
}

/** What a step left behind in the database. */
export interface Recorded {
  readonly tracking: Tracking
  readonly events: readonly PrinterEventRow[]
  /** Whether anything was written. */
  readonly isChanged: boolean
  /** The prints that ended with this step, if any. */
  readonly ended: readonly EndedPrint[]
}

/** A print that has just ended. */
export interface EndedPrint {
  readonly id: number
  /** Whether the server concluded it by itself: then the print may go on after all. */
  readonly end_assumed: boolean
  /** How many of its pictures are still on their way. */
  readonly pics_to_come?: number
}

/** Notes, in the transaction in which prints end, what is to be done about them. */
export type NoteEnded = (trx: Kysely<Tables>, ended: readonly EndedPrint[]) => Promise<void>

/**
 * What the database knows of the printer's prints. What only memory knows (progress, grace) is taken over while it is about the
 * same print, so that a step can be taken on the truth, whatever another connection did.
 */
export async function readTracking(db: Kysely<Tables>, printerId: number, remembered: Tracking): Promise<Tracking> {
  const row = await findRunningPrint(db, printerId)
  if (row === undefined) return NOTHING_RUNS
  const isSame = remembered.running?.current_print_ts === row.current_print_ts
  return { ...(isSame ? remembered : NOTHING_RUNS), running: trackedPrint(row) }
}

/** The stored print with the agent's name `ts`. */
export async function readPrint(db: Kysely<Tables>, printerId: number, ts: number): Promise<TrackedPrint | undefined> {
  const row = await findPrintByTs(db, printerId, ts)
  return row === undefined ? undefined : trackedPrint(row)
}

/**
 * Writes a step: prints, the printer's history, and the printer's current print. To be called in a transaction.
 *
 * @param actor who reports it, when that is who did it: an app that steers its printer by itself
 */
export async function recordStep(
  trx: Kysely<Tables>,
  { printer_id, user_id }: PrintOwner,
  before: Tracking,
  step: Step,
  actor?: Actor,
): Promise<Recorded> {
  const owner = { printer_id, user_id }
  const { effects, tracking } = step
  const ids = await savePrints(trx, owner, effects)
  const events = await writeHistory(trx, owner, effects, ids, actor)
  const running = tracking.running && withId(tracking.running, ids)
  if (running?.id !== before.running?.id) await setCurrentPrint(trx, printer_id, running?.id ?? null)
  return { tracking: { ...tracking, running }, events, isChanged: effects.length > 0, ended: endedOf(effects, ids) }
}

/** The prints that are over now and were not before. */
function endedOf(effects: readonly Effect[], ids: ReadonlyMap<number, number>): EndedPrint[] {
  return effects.flatMap((effect) => {
    if (effect.type !== 'tell' || effect.happening.type !== 'ENDED') return []
    const id = ids.get(effect.print.current_print_ts)
    return id === undefined ? [] : [{ id, end_assumed: effect.print.end_assumed }]
  })
}

/** The ids of the saved prints, by the agent's name for them. A print that was deleted meanwhile has none. */
async function savePrints(
  trx: Kysely<Tables>,
  owner: PrintOwner,
  effects: readonly Effect[],
): Promise<ReadonlyMap<number, number>> {
  const ids = new Map<number, number>()
  for (const effect of effects) {
    if (effect.type !== 'save') continue
    const { id, ...print } = effect.print
    const columns = { ...print, end_assumed: Number(print.end_assumed) }
    const row =
      id === undefined ? await insertPrint(trx, { ...owner, ...columns }) : await updatePrint(trx, id, columns)
    if (row !== undefined) ids.set(row.current_print_ts, row.id)
  }
  return ids
}

async function writeHistory(
  trx: Kysely<Tables>,
  owner: PrintOwner,
  effects: readonly Effect[],
  ids: ReadonlyMap<number, number>,
  actor: Actor | undefined,
): Promise<PrinterEventRow[]> {
  const rows: PrinterEventRow[] = []
  for (const effect of effects) {
    if (effect.type !== 'tell') continue
    const { print, happening } = effect
    const print_id = ids.get(print.current_print_ts) ?? null
    const shown = { ...print, id: print_id ?? undefined }
    const action = await findAction(trx, owner.printer_id, happening, shown, actor)
    const line = {
      ...historyLine(happening, print, action),
      ...{ image_key: null, info_url: null, created_at: happening.at },
      ...{ initiator: action?.by ?? null, initiator_name: action?.name ?? null },
      ...{ reason: action?.reason ?? null, alert_id: action?.alert_id ?? null },
    }
    rows.push(await insertPrinterEvent(trx, { ...owner, print_id, ...line }))
    if (action !== undefined && print_id !== null)
      await updatePrint(trx, print_id, { last_action: JSON.stringify(action) })
  }
  return rows
}

/** Who made it happen. A command from before the print's last pause, resume or start has had its effect already. */
async function findAction(
  trx: Kysely<Tables>,
  printerId: number,
  happening: Happening,
  print: TrackedPrint,
  actor: Actor | undefined,
): Promise<LastAction | undefined> {
  const cmd = commandFor(happening, print)
  if (cmd === undefined || print.id === undefined) return undefined
  if (actor !== undefined) return actionOf(happening, print, { ...actor, reason: null, alert_id: null })
  const row = await findPrint(trx, print.id)
  const last = LastAction.nullable().parse(JSON.parse(row?.last_action ?? 'null'))
  const since = last === null ? print.started_at : Date.parse(last.at)
  return actionOf(happening, print, await findCommandBehind(trx, printerId, namesOf(cmd), since))
}

function withId(print: TrackedPrint, ids: ReadonlyMap<number, number>): TrackedPrint {
  return { ...print, id: ids.get(print.current_print_ts) ?? print.id }
}

function trackedPrint(row: PrintRow): TrackedPrint {
  return {
    id: row.id,
    current_print_ts: row.current_print_ts,
    state: PrintStateSchema.parse(row.state),
    filename: row.filename,
    started_at: row.started_at,
    finished_at: row.finished_at,
    cancelled_at: row.cancelled_at,
    failed_at: row.failed_at,
    end_assumed: row.end_assumed !== 0,
    print_time: row.print_time,
    filament_used: row.filament_used,
  }
}
