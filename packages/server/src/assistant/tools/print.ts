import type { AssistantPicture } from '@printwarden/protocol'
import { z } from 'zod'
import { listAlertsOfPrint } from '../../detection/alerts/alerts-store.js'
import { alertView } from '../../detection/alerts/alert-view.js'
import { findVisiblePrinter } from '../../printers/store.js'
import { listPrinterEvents } from '../../prints/events-store.js'
import { findVisiblePrint, type PrintRecord } from '../../prints/store.js'
import { instantView } from '../../prints/view.js'
import { plainText } from './data-text.js'
import { printData } from './prints.js'
import { defineTool, noAnswer, type ToolCaller } from './tool.js'

const MAX_EVENTS = 25
const MAX_ALERTS = 10
const MAX_ALERT_PICTURES = 3

export const getPrint = defineTool({
  name: 'get_print',
  description:
    'One print in detail: its alerts with what they were judged by, its history, and who paused or ended it. The user is shown its pictures.',
  input: z.object({ print_id: z.int().positive() }),
  async run({ print_id }, caller, { database: { db } }) {
    const print = await findVisiblePrint(db, caller.user_id, print_id)
    if (print === undefined) return noAnswer('There is no such print.')
    const [printer, alertRows, events] = await Promise.all([
      findVisiblePrinter(db, caller.user_id, print.printer_id),
      listAlertsOfPrint(db, print.id),
      listPrinterEvents(db, caller.user_id, { printId: print.id }, { start: 0, limit: MAX_EVENTS }),
    ])
    const alerts = alertRows.slice(-MAX_ALERTS).map((alert) => alertView(alert, caller.viewer.mediaUrl))
    const pictures = picturesOf(print, alerts, caller)
    const data = {
      ...printData(print, printer?.name),
      alerts: alerts.map(({ created_at, outcome, explanation, evidence, answer }) => ({
        ...{ at: created_at, outcome, explanation, score: evidence.rule.score, user_says: answer },
      })),
      history_newest_first: events.map(({ created_at, event_type, event_title, event_text }) => {
        return { at: instantView(created_at), type: event_type, title: event_title, text: event_text }
      }),
      pictures_shown_to_the_user: pictures.map(({ caption }) => caption),
    }
    return { about: `the print of ${plainText(print.filename)}`, data, pictures }
  },
})

function picturesOf(
  print: PrintRecord,
  alerts: readonly { readonly created_at: string; readonly image_url: string | null }[],
  { viewer }: ToolCaller,
): AssistantPicture[] {
  const whose = { printer_id: print.printer_id, print_id: print.id }
  const name = plainText(print.filename)
  const ofAlerts = alerts.flatMap(({ created_at, image_url: url }) =>
    url === null ? [] : [{ url, caption: `${name}: alert at ${created_at}`, ...whose }],
  )
  const poster =
    print.poster_key === null
      ? []
      : [{ url: viewer.mediaUrl(print.poster_key), caption: `${name}: its video`, ...whose }]
  return [...ofAlerts.slice(-MAX_ALERT_PICTURES), ...poster]
}
