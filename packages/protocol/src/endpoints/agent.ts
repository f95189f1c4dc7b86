import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'

const tag = 'agent'

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

export const uploadPic = defineEndpoint({
  id: 'uploadPic',
  method: 'POST',
  path: '/api/v1/agent/pic/',
  tag,
  summary: 'Upload a snapshot',
  description:
    'A JPEG, PNG or WebP. Pictures of the primary camera are shown and, while printing, checked for failures.',
  access: 'agent',
  multipart: [
    { name: 'pic', kind: 'file', required: true, description: 'the picture' },
    { name: 'is_primary_camera', kind: 'text', required: false, description: '"true" (default) or "false"' },
    { name: 'is_nozzle_camera', kind: 'text', required: false, description: '"true" or "false" (default)' },
    { name: 'camera_name', kind: 'text', required: false, description: 'which camera took it' },
    { name: 'viewing_boost', kind: 'text', required: false, description: '"true": only to be looked at, not analysed' },
    { name: 'age_ms', kind: 'text', required: false, description: 'how long ago the picture was taken' },
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
  description: 'A form or a multipart body; it is attached to the current print, if any.',
  access: 'agent',
  multipart: [
    { name: 'event_type', kind: 'text', required: true, description: 'one of the printer event types' },
    { name: 'event_class', kind: 'text', required: true, description: 'ERROR, WARNING, SUCCESS or INFO' },
    { name: 'event_title', kind: 'text', required: true, description: 'a short title' },
    { name: 'event_text', kind: 'text', required: true, description: 'what happened' },
    { name: 'info_url', kind: 'text', required: false, description: 'where to read more' },
    { name: 'notify', kind: 'text', required: false, description: '"true": also notify the user' },
    { name: 'snapshot', kind: 'file', required: false, description: 'a picture of the moment' },
  ],
  output: Accepted,
  errors: ['invalid_image', 'too_large', 'storage_full'],
})
