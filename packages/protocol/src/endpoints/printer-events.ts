import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { PrinterEvent } from '../resources.js'
import { id, queryCount } from './shared.js'

export const listPrinterEvents = defineEndpoint({
  id: 'listPrinterEvents',
  method: 'GET',
  path: '/api/v1/printer_events/',
  tag: 'printer events',
  summary: "What happened on the user's printers, newest first",
  access: 'read',
  query: z.object({
    printer_id: id.optional(),
    print_id: id.optional(),
    start: queryCount.optional(),
    limit: queryCount.refine((limit) => limit <= 200, 'must be at most 200').optional(),
  }),
  output: z.array(PrinterEvent),
})
