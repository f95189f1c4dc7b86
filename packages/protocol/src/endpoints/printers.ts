import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { ActionResult, AlertOverwrite, Command, Printer, PrinterChanges } from '../resources.js'
import { id, idParams, queryBoolean } from './shared.js'

const tag = 'printers'

export const listPrinters = defineEndpoint({
  id: 'listPrinters',
  method: 'GET',
  path: '/api/v1/printers/',
  tag,
  summary: 'List printers',
  access: 'read',
  query: z.object({ with_archived: queryBoolean.optional() }),
  output: z.array(Printer),
})

export const createPrinter = defineEndpoint({
  id: 'createPrinter',
  method: 'POST',
  path: '/api/v1/printers/',
  tag,
  summary: 'Add a printer',
  description: 'The answer holds the `auth_token` for its agent.',
  access: 'write',
  body: PrinterChanges.required({ name: true }).meta({ id: 'NewPrinter' }),
  status: 201,
  output: Printer,
})

export const getPrinter = defineEndpoint({
  id: 'getPrinter',
  method: 'GET',
  path: '/api/v1/printers/:id/',
  tag,
  summary: 'One printer',
  access: 'read',
  params: idParams,
  output: Printer,
})

export const updatePrinter = defineEndpoint({
  id: 'updatePrinter',
  method: 'PATCH',
  path: '/api/v1/printers/:id/',
  tag,
  summary: 'Change a printer',
  description: 'Read-only and unknown fields are ignored.',
  access: 'write',
  params: idParams,
  body: PrinterChanges,
  output: Printer,
})

export const deletePrinter = defineEndpoint({
  id: 'deletePrinter',
  method: 'DELETE',
  path: '/api/v1/printers/:id/',
  tag,
  summary: 'Delete a printer with its prints and pictures',
  access: 'write',
  params: idParams,
})

export const archivePrinter = defineEndpoint({
  id: 'archivePrinter',
  method: 'POST',
  path: '/api/v1/printers/:id/archive/',
  tag,
  summary: 'Archive a printer',
  description: 'Archiving twice changes nothing.',
  access: 'write',
  params: idParams,
  output: Printer,
})

export const unarchivePrinter = defineEndpoint({
  id: 'unarchivePrinter',
  method: 'POST',
  path: '/api/v1/printers/:id/unarchive/',
  tag,
  summary: 'Bring an archived printer back',
  access: 'write',
  params: idParams,
  output: Printer,
})

export const cancelPrint = defineEndpoint({
  id: 'cancelPrint',
  method: 'POST',
  path: '/api/v1/printers/:id/cancel_print/',
  tag,
  summary: 'Cancel the current print',
  access: 'write',
  params: idParams,
  output: ActionResult,
})

export const pausePrint = defineEndpoint({
  id: 'pausePrint',
  method: 'POST',
  path: '/api/v1/printers/:id/pause_print/',
  tag,
  summary: 'Pause the current print',
  access: 'write',
  params: idParams,
  output: ActionResult,
})

export const resumePrint = defineEndpoint({
  id: 'resumePrint',
  method: 'POST',
  path: '/api/v1/printers/:id/resume_print/',
  tag,
  summary: 'Resume the paused print',
  access: 'write',
  params: idParams,
  output: ActionResult,
})

export const muteCurrentPrint = defineEndpoint({
  id: 'muteCurrentPrint',
  method: 'POST',
  path: '/api/v1/printers/:id/mute_current_print/',
  tag,
  summary: 'Turn failure detection off for the rest of the current print',
  description: '`mute_alert=false` turns it on again.',
  access: 'write',
  params: idParams,
  query: z.object({ mute_alert: queryBoolean.optional() }),
  output: ActionResult,
})

export const acknowledgeAlert = defineEndpoint({
  id: 'acknowledgeAlert',
  method: 'POST',
  path: '/api/v1/printers/:id/acknowledge_alert/',
  tag,
  summary: 'Acknowledge the failure alert of the current print',
  access: 'write',
  params: idParams,
  query: z.object({ alert_overwrite: AlertOverwrite.optional() }),
  output: ActionResult,
})

export const rearmPrinter = defineEndpoint({
  id: 'rearmPrinter',
  method: 'POST',
  path: '/api/v1/printers/:id/rearm/',
  tag,
  summary: 'Allow one more automatic pause of the current print',
  access: 'write',
  params: idParams,
  output: ActionResult,
})

export const getCommand = defineEndpoint({
  id: 'getCommand',
  method: 'GET',
  path: '/api/v1/printers/:id/commands/:command_id/',
  tag,
  summary: 'How far a command is',
  access: 'read',
  params: z.object({ id, command_id: z.uuid() }),
  output: Command,
})
