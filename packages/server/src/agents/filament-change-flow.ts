import { hasEventSince, insertPrinterEvent, type PrinterEventRow } from '../prints/events-store.js'
import type { Database } from '../ports.js'

/** An agent may tell of one change in two ways, and hosts tell of it again while they wait. */
const SAME_CHANGE_MS = 60_000

const LINE = {
  event_type: 'FILAMENT_CHANGE',
  event_class: 'WARNING',
  event_title: 'Filament change',
  event_text: 'The printer waits for another filament.',
} as const

/** Writes a change of filament into the printer's history; undefined when it was told a moment ago. */
export function recordFilamentChange(
  database: Pick<Database, 'transaction'>,
  about: { readonly printer_id: number; readonly user_id: number; readonly print_id: number | null },
  now: number,
): Promise<PrinterEventRow | undefined> {
  return database.transaction(async (trx) => {
    if (await hasEventSince(trx, about.printer_id, LINE.event_type, now - SAME_CHANGE_MS)) return undefined
    return insertPrinterEvent(trx, { ...LINE, ...about, image_key: null, info_url: null, created_at: now })
  })
}
