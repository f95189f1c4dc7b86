import { findVisibleFile, type GCodeFileRow } from '../../g-code/file-store.js'
import type { Database, LiveStore } from '../../ports.js'
import { liveFactsOf, liveKeysOf } from '../../printers/live-view.js'
import { findVisiblePrinter, type PrinterRow } from '../../printers/store.js'
import { findCurrentPrint, type PrintRecord } from '../../prints/store.js'
import type { Situation } from './untimely.js'

export interface SituationDeps {
  readonly database: Database
  readonly live: Pick<LiveStore, 'getMany'>
}

/** What an action would be about, as it is now. All of it is the user's. */
export interface Meant extends Situation {
  readonly printer: PrinterRow
  readonly print: PrintRecord | undefined
  /** Undefined where none is meant, and where it is not there. */
  readonly file: GCodeFileRow | undefined
}

/** Looks up what an action is about; undefined when the user has no such printer. */
export async function findMeant(
  { database: { db }, live }: SituationDeps,
  userId: number,
  wanted: { readonly printer_id: number; readonly g_code_file_id: number | null },
): Promise<Meant | undefined> {
  const printer = await findVisiblePrinter(db, userId, wanted.printer_id)
  if (printer === undefined) return undefined
  const { g_code_file_id: fileId } = wanted
  const [print, file, values] = await Promise.all([
    findCurrentPrint(db, printer.id),
    fileId === null ? undefined : findVisibleFile(db, userId, fileId),
    live.getMany(liveKeysOf([printer.id])),
  ])
  const status = liveFactsOf([printer.id], values).get(printer.id)?.status ?? null
  const hasBytes = file != null && file.blob_key !== null
  return { printer, print, file, status, hasBytes, isArchived: printer.archived_at !== null }
}
