import type { AssistantPicture } from '@printwarden/protocol'
import { z } from 'zod'
import { findVisiblePrinter } from '../../printers/store.js'
import { livePrinterView, type PrinterFacts } from '../../printers/view.js'
import { byWords, lastActionOf } from '../../prints/last-action.js'
import { instantView } from '../../prints/view.js'
import { plainText } from './data-text.js'
import { defineTool, noAnswer, type ToolCaller } from './tool.js'

/** More are not listed: their user asks for one of them by its number. */
const MAX_PRINTERS = 20
const MAX_CHOICES = 8
const MAX_HEATERS = 12

export const listPrinters = defineTool({
  name: 'list_printers',
  description:
    "The user's printers with their state, current print, temperatures, and whether failures are watched for. With printer_id one of them; the user is shown its newest picture then.",
  input: z.object({ printer_id: z.int().positive().optional() }),
  async run({ printer_id }, caller, { database, clock, facts }) {
    const now = clock.now()
    if (printer_id !== undefined) {
      const printer = await findVisiblePrinter(database.quick, caller.user_id, printer_id)
      if (printer === undefined) return noAnswer('There is no such printer.')
      const known = await facts.ofPrinter(printer)
      const name = plainText(printer.name)
      return { about: name, data: printerData(known, caller, now), pictures: pictureOf(known, caller, name) }
    }
    const all = await facts.ofUser(caller.user_id, { withArchived: false })
    const printers = all.slice(0, MAX_PRINTERS).map((known) => printerData(known, caller, now))
    return { about: 'all printers', data: { count: all.length, printers } }
  },
})

function printerData(known: PrinterFacts, { viewer }: ToolCaller, now: number) {
  const { printer, print, live } = known
  const { watching, not_watching_reason } = livePrinterView(known, viewer, now)
  const { status } = live
  return {
    printer_id: printer.id,
    name: printer.name,
    state: status?.state.text ?? 'Offline',
    message: status?.state.error ?? null,
    asks:
      status?.prompt === undefined
        ? null
        : { text: status.prompt.text, choices: status.prompt.choices.slice(0, MAX_CHOICES) },
    is_archived: printer.archived_at !== null,
    current_print: print && {
      print_id: print.id,
      file: print.filename,
      state: print.state,
      started_at: instantView(print.started_at),
      percent: rounded(status?.progress?.completion),
      minutes_left: minutes(status?.progress?.printTimeLeft),
      alerted_at: instantView(print.alerted_at),
      last_action: actionData(print.last_action),
    },
    temperatures_celsius: temperatures(status?.temperatures),
    is_watching: watching.is_watching,
    not_watching_because: not_watching_reason,
    last_picture_at: watching.last_frame_at,
  }
}

/** Who or what paused, resumed or ended a print last. */
export function actionData(stored: string | null) {
  const action = lastActionOf(stored)
  return action === null ? null : { what: `${action.action} ${byWords(action)}`, at: action.at }
}

function temperatures(heaters: Readonly<Record<string, unknown>> = {}) {
  const Heater = z.looseObject({ actual: z.number().nullish(), target: z.number().nullish() })
  return Object.fromEntries(
    Object.entries(heaters)
      .slice(0, MAX_HEATERS)
      .flatMap(([name, value]) => {
        const heater = Heater.safeParse(value).data
        return heater === undefined ? [] : [[name, { actual: rounded(heater.actual), target: rounded(heater.target) }]]
      }),
  )
}

function pictureOf({ live, printer, print }: PrinterFacts, { viewer }: ToolCaller, name: string): AssistantPicture[] {
  if (live.pic === null) return []
  const at = new Date(live.pic.ts * 1000).toISOString()
  const whose = { printer_id: printer.id, print_id: print?.id ?? null }
  return [{ url: viewer.mediaUrl(live.pic.key), caption: `${name}, ${at}`, ...whose }]
}

const rounded = (value: number | null | undefined): number | null =>
  value == null ? null : Math.round(value * 10) / 10

const minutes = (seconds: number | null | undefined): number | null =>
  seconds == null ? null : Math.round(seconds / 60)
