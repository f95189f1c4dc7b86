import { z } from 'zod'
import { listPrinters } from '../../printers/store.js'
import { listPrints as listPrintsOf } from '../../prints/listing-store.js'
import type { PrintRecord } from '../../prints/store.js'
import { instantView } from '../../prints/view.js'
import { plainText } from './data-text.js'
import { actionData } from './printers.js'
import { defineTool, noAnswer } from './tool.js'

const DEFAULT_COUNT = 10
const MAX_COUNT = 20

export const listPrints = defineTool({
  name: 'list_prints',
  description:
    "The user's last prints, newest first: file, outcome, duration, alerts of failure detection. Of one printer with printer_id; only those of one outcome with outcome.",
  input: z.object({
    printer_id: z.int().positive().optional(),
    outcome: z.enum(['finished', 'cancelled', 'failed']).optional(),
    count: z.int().min(1).max(MAX_COUNT).optional(),
  }),
  async run({ printer_id, outcome, count = DEFAULT_COUNT }, { user_id }, { database: { db } }) {
    const printers = await listPrinters(db, user_id, { withArchived: true })
    const names = new Map(printers.map(({ id, name }) => [id, name]))
    const name = printer_id === undefined ? undefined : names.get(printer_id)
    if (printer_id !== undefined && name === undefined) return noAnswer('There is no such printer.')
    const selection = {
      filters: outcome === undefined ? [] : [outcome],
      printerIds: printer_id === undefined ? undefined : [printer_id],
      ...{ startedFrom: undefined, startedBefore: undefined },
    }
    const prints = await listPrintsOf(db, user_id, selection, { order: 'desc', start: 0, limit: count })
    const words = [prints.length > 1 ? String(prints.length) : '', outcome ?? '', 'prints'].filter(
      (word) => word !== '',
    )
    const about = `the last ${words.join(' ')}${name === undefined ? '' : ` of ${plainText(name)}`}`
    return { about, data: { prints: prints.map((print) => printData(print, names.get(print.printer_id))) } }
  },
})

/** A print as a model is told of it. Times are told in minutes, filament in millimetres. */
export function printData(print: PrintRecord, printerName: string | undefined) {
  const ended = print.cancelled_at ?? print.finished_at ?? print.failed_at
  return {
    print_id: print.id,
    printer_id: print.printer_id,
    printer: printerName ?? null,
    file: print.filename,
    g_code_file_id: print.g_code_file?.deleted_at === null ? print.g_code_file.id : null,
    state: print.state,
    started_at: instantView(print.started_at),
    ended_at: instantView(ended),
    minutes: ended === null ? null : Math.round((ended - print.started_at) / 60_000),
    filament_mm: print.filament_used === null ? null : Math.round(print.filament_used),
    failure_alert_at: instantView(print.alerted_at),
    /** What the user said of the alert. */
    user_says: print.alert_overwrite,
    last_action: actionData(print.last_action),
  }
}
