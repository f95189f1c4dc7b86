import { z } from 'zod'
import { FileOrigin, MAX_PRINTER_FILES } from '../commands.js'
import { defineEndpoint } from '../endpoint.js'
import { Detection } from '../prediction.js'
import { ActionResult, AlertOverwrite, Command, Printer, PrinterChanges } from '../resources.js'
import { SelfTest } from '../watching.js'
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

export const connectPrinter = defineEndpoint({
  id: 'connectPrinter',
  method: 'POST',
  path: '/api/v1/printers/:id/connect/',
  tag,
  summary: 'Let the printer host connect to its printer',
  description:
    'For hosts that stay disconnected after a fault or a cable that was pulled. A command, as a pause is; the printer need not print.',
  access: 'write',
  params: idParams,
  output: ActionResult,
})

export const emergencyStop = defineEndpoint({
  id: 'emergencyStop',
  method: 'POST',
  path: '/api/v1/printers/:id/emergency_stop/',
  tag,
  summary: 'Stop the printer at once',
  description:
    'Everything stops where it is, heaters too; a running print is lost. It goes ahead of all other commands, and those that the agent has not begun are refused. The printer must be brought back afterwards: `restart_firmware` where its host has that, else `connect`. The printer need not print.',
  access: 'write',
  params: idParams,
  output: ActionResult,
})

export const restartFirmware = defineEndpoint({
  id: 'restartFirmware',
  method: 'POST',
  path: '/api/v1/printers/:id/restart_firmware/',
  tag,
  summary: 'Restart the firmware of the printer',
  description: 'Of a printer that prints nothing, for hosts that have a restart of their own; others refuse it.',
  access: 'write',
  params: idParams,
  output: ActionResult,
})

export const excludeObject = defineEndpoint({
  id: 'excludeObject',
  method: 'POST',
  path: '/api/v1/printers/:id/exclude_object/',
  tag,
  summary: 'Leave an object out of the current print',
  description:
    'The objects are those of `status.objects`. The print goes on without it; what was left out cannot be taken in again.',
  access: 'write',
  params: idParams,
  body: z.object({ name: z.string().min(1).max(200) }).meta({ id: 'ExcludeObject' }),
  output: ActionResult,
})

export const answerPrompt = defineEndpoint({
  id: 'answerPrompt',
  method: 'POST',
  path: '/api/v1/printers/:id/answer_prompt/',
  tag,
  summary: 'Answer the question that the printer asks',
  description:
    'The question is `status.prompt`; `choice` is the place of the answer in its `choices`, from 0. An answer to a question that is not asked any more is refused by the agent.',
  access: 'write',
  params: idParams,
  body: z
    .object({ prompt_id: z.string().min(1).max(100), choice: z.int().min(0).max(99) })
    .meta({ id: 'AnswerPrompt' }),
  output: ActionResult,
})

export const listFiles = defineEndpoint({
  id: 'listFiles',
  method: 'POST',
  path: '/api/v1/printers/:id/list_files/',
  tag,
  summary: 'Ask for the files that lie on the printer',
  description: `The list is the \`result\` of the command, once that is done: the newest ${MAX_PRINTER_FILES} files.`,
  access: 'write',
  params: idParams,
  output: ActionResult,
})

export const printFile = defineEndpoint({
  id: 'printFile',
  method: 'POST',
  path: '/api/v1/printers/:id/print_file/',
  tag,
  summary: 'Print a file that lies on the printer',
  description:
    '`succeeded` is false while something is being printed, and for an archived printer. Without `origin` the file is the host’s own (`local`).',
  access: 'write',
  params: idParams,
  body: z.object({ path: z.string().min(1).max(1000), origin: FileOrigin.optional() }).meta({ id: 'PrintFile' }),
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

export const startPrint = defineEndpoint({
  id: 'startPrint',
  method: 'POST',
  path: '/api/v1/printers/:id/start_print/',
  tag,
  summary: 'Record that a print has begun, on a printer without an agent or with nothing but a camera',
  description:
    'Nothing is sent to the printer. The current print, if there is one, ends as finished. Where an agent watches the printer by its picture alone (`status.watched_by`), it is asked to begin: `start_watching`.',
  access: 'write',
  params: idParams,
  body: z.object({ filename: z.string().min(1).max(1000) }).meta({ id: 'StartPrint' }),
  output: ActionResult,
})

export const finishPrint = defineEndpoint({
  id: 'finishPrint',
  method: 'POST',
  path: '/api/v1/printers/:id/finish_print/',
  tag,
  summary: 'Record that the current print has ended, on a printer without an agent or with nothing but a camera',
  description:
    'Nothing is sent to the printer. `not_found` when nothing is being printed. Where an agent watches the printer by its picture alone, it is asked to end: `stop_watching`.',
  access: 'write',
  params: idParams,
  body: z
    .object({ status: z.enum(['success', 'cancelled']).default('success') })
    .default({ status: 'success' })
    .meta({ id: 'FinishPrint' }),
  output: ActionResult,
})

export const predictPrint = defineEndpoint({
  id: 'predictPrint',
  method: 'POST',
  path: '/api/v1/printers/:id/predict/',
  tag,
  summary: 'Look for failures in a picture of the current print',
  description:
    'The answer is smoothed with those before. The failure gauge stays as it is, nobody is alerted. `not_found` when nothing is being printed.',
  access: 'write',
  params: idParams,
  multipart: [{ name: 'img', kind: 'file', required: true, description: 'a JPEG, PNG or WebP' }],
  output: z
    .object({
      result: z.object({
        p: z.number(),
        temporal_stats: z.object({
          ewm_mean: z.number(),
          rolling_mean_short: z.number(),
          rolling_mean_long: z.number(),
          prediction_num: z.int(),
          prediction_num_lifetime: z.int(),
        }),
        detections: z.array(Detection),
      }),
    })
    .meta({ id: 'Predicted' }),
  errors: ['invalid_image', 'rate_limited', 'unavailable'],
})

export const runSelfTest = defineEndpoint({
  id: 'runSelfTest',
  method: 'POST',
  path: '/api/v1/printers/:id/self_test/',
  tag,
  summary: 'Test that failures on this printer would be found',
  description:
    'Sends a known picture of a failure the way of the printer’s pictures, from the queue to the score. The gauge stays as it is, nobody is alerted. Without `camera_id` it is the way of the primary camera. `conflict` while the printer has no camera yet, a test is under way, or other pictures are more urgent.',
  access: 'write',
  params: idParams,
  query: z.object({ camera_id: id.optional() }),
  output: SelfTest,
  errors: ['conflict'],
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
