import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { PrinterChanges, PrinterEventClass, PrinterEventType } from '../resources.js'
import { formBoolean } from './shared.js'

const tag = 'agent'

const required = { kind: 'text', required: true } as const
const optional = { kind: 'text', required: false } as const

/** A number of milliseconds, up to an hour. */
const milliseconds = z.string().regex(/^(?:[12]?\d{1,6}|3[0-5]\d{5}|3600000)$/)
/** A number of milliseconds, up to a year. */
const longAgo = z.string().regex(/^(?:\d{1,10}|[12]\d{10})$/)
const count = z.string().regex(/^\d{1,6}$/)
const printTs = z.string().regex(/^\d{1,10}(?:\.\d{1,6})?$/)
const httpUrl = z.url({ protocol: /^https?$/ }).max(2000)

/** The answer to everything an agent posts. */
export const Accepted = z.object({ result: z.literal('ok') }).meta({ id: 'Accepted' })

/** What an agent may know about its own printer. */
export const AgentPrinter = z
  .object({
    user: z.object({ is_pro: z.boolean() }),
    printer: z.object({
      id: z.int().positive(),
      name: z.string(),
      is_pro: z.boolean(),
      retract_on_pause: z.number(),
    }),
    /** The server's clock in Unix seconds, so that an agent can tell how far its own is off. */
    server_ts: z.number(),
  })
  .meta({ id: 'AgentPrinter' })
export type AgentPrinter = z.infer<typeof AgentPrinter>

export const getAgentPrinter = defineEndpoint({
  id: 'getAgentPrinter',
  method: 'GET',
  path: '/api/v1/agent/printer/',
  tag,
  summary: 'The printer that the token belongs to',
  access: 'agent',
  output: AgentPrinter,
})

export const updateAgentPrinter = defineEndpoint({
  id: 'updateAgentPrinter',
  method: 'PATCH',
  path: '/api/v1/agent/printer/',
  tag,
  summary: 'Rename the printer that the token belongs to',
  description: 'Other fields are ignored: what a printer does when a print fails is for its owner to say.',
  access: 'agent',
  body: PrinterChanges.pick({ name: true }).meta({ id: 'AgentPrinterChanges' }),
  output: AgentPrinter,
})

export const uploadPic = defineEndpoint({
  id: 'uploadPic',
  method: 'POST',
  path: '/api/v1/agent/pic/',
  tag,
  summary: 'Upload a snapshot',
  description:
    'A JPEG, PNG or WebP. Pictures of the primary camera are shown and, while printing, checked for failures. One with `current_print_ts` is a picture of the past, which the agent kept while it was offline: it belongs to the time-lapse of that print, and is neither shown nor checked.',
  access: 'agent',
  multipart: [
    { name: 'pic', kind: 'file', required: true, description: 'the picture' },
    { ...optional, name: 'is_primary_camera', description: '"true" (default) or "false"', schema: formBoolean },
    { ...optional, name: 'is_nozzle_camera', description: '"true" or "false" (default)', schema: formBoolean },
    { ...optional, name: 'camera_name', description: 'which camera took it' },
    {
      ...optional,
      name: 'viewing_boost',
      description: '"true": only to be looked at, not analysed',
      schema: formBoolean,
    },
    { ...optional, name: 'age_ms', description: 'how long ago the picture was taken', schema: milliseconds },
    { ...optional, name: 'frame_id', description: 'names the picture: sent again, it is kept once', schema: z.uuid() },
    { ...optional, name: 'current_print_ts', description: 'the print of a picture of the past', schema: printTs },
    { ...optional, name: 'pics_to_come', description: 'how many more of that print follow', schema: count },
    { ...optional, name: 'frame_age_ms', description: 'as age_ms, for a picture of the past', schema: longAgo },
  ],
  output: Accepted,
  errors: ['invalid_image', 'too_large', 'rate_limited', 'storage_full'],
})

export const reportPrinterEvent = defineEndpoint({
  id: 'reportPrinterEvent',
  method: 'POST',
  path: '/api/v1/agent/printer_events/',
  tag,
  summary: "Report something for the printer's history",
  description: 'A form or a multipart body; it is attached to the print it names, else to the current print, if any.',
  access: 'agent',
  multipart: [
    { ...required, name: 'event_type', description: 'one of the printer event types', schema: PrinterEventType },
    { ...required, name: 'event_class', description: 'ERROR, WARNING, SUCCESS or INFO', schema: PrinterEventClass },
    { name: 'event_title', kind: 'text', required: true, description: 'a short title' },
    { name: 'event_text', kind: 'text', required: true, description: 'what happened' },
    { ...optional, name: 'info_url', description: 'where to read more', schema: httpUrl },
    { ...optional, name: 'notify', description: '"true": also notify the user', schema: formBoolean },
    { ...optional, name: 'event_id', description: 'names the event: sent again, it is kept once', schema: z.uuid() },
    { ...optional, name: 'age_ms', description: 'how long ago it happened', schema: longAgo },
    { ...optional, name: 'current_print_ts', description: 'the print it belongs to, if any', schema: printTs },
    { name: 'snapshot', kind: 'file', required: false, description: 'a picture of the moment' },
  ],
  output: Accepted,
  errors: ['invalid_image', 'too_large', 'storage_full'],
})
