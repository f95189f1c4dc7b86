import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { PRINTER_EVENT_TYPES, PrinterEvent, PrinterEventClass } from '../resources.js'
import { id, queryCount, queryEnums, queryLimit } from './shared.js'

/** Names that stand for several types. */
export const PRINTER_EVENT_GROUPS = {
  ALERT: ['FAILURE_ALERTED', 'ALERT_MUTED', 'ALERT_UNMUTED'],
  PAUSE_RESUME: ['PAUSED', 'RESUMED'],
} as const

const GROUPS = Object.keys(PRINTER_EVENT_GROUPS) as (keyof typeof PRINTER_EVENT_GROUPS)[]

export const listPrinterEvents = defineEndpoint({
  id: 'listPrinterEvents',
  method: 'GET',
  path: '/api/v1/printer_events/',
  tag: 'printer events',
  summary: "What happened on the user's printers, newest first",
  description: `12 of them unless \`limit\` says otherwise. Both filters may be given several times; an event must match each that is given.
\`ALERT\` stands for ${PRINTER_EVENT_GROUPS.ALERT.join(', ')}, \`PAUSE_RESUME\` for ${PRINTER_EVENT_GROUPS.PAUSE_RESUME.join(', ')}.`,
  access: 'read',
  query: z.object({
    printer_id: id.optional(),
    print_id: id.optional(),
    'filter_by_classes[]': queryEnums(PrinterEventClass).optional(),
    'filter_by_types[]': queryEnums(z.enum([...PRINTER_EVENT_TYPES, ...GROUPS])).optional(),
    start: queryCount.optional(),
    limit: queryLimit(200).optional(),
  }),
  output: z.array(PrinterEvent),
})
