import { z } from 'zod'
import { GCodeFolderFlat, gCodeFileOwnFields } from './g-code.js'
import { ActionResult, PrintSummary } from './resources.js'

/** A stored file with its folder and the prints that were made of it, newest first. */
export const GCodeFile = z
  .object({
    ...gCodeFileOwnFields,
    parent_folder: GCodeFolderFlat.nullable(),
    user: z.int().positive(),
    print_set: z.array(PrintSummary),
  })
  .meta({ id: 'GCodeFile' })
export type GCodeFile = z.infer<typeof GCodeFile>

/** Why a stored file is not printed, besides that the agent may refuse it later. */
export const PRINT_REFUSALS = {
  archived: 'The printer is archived.',
  offline: 'The printer is offline.',
  busy: 'The printer is busy.',
  not_ready: 'The printer is not ready to print.',
  not_stored: 'The file lies on a printer, so it has to be started there.',
  not_connected: 'The agent of the printer did not take the command.',
} as const
export type PrintRefusal = keyof typeof PRINT_REFUSALS

/** The answer to printing a stored file. `reason` says why it did not succeed. */
export const PrintFileResult = ActionResult.extend({
  reason: z
    .object({ code: z.enum(Object.keys(PRINT_REFUSALS) as [PrintRefusal, ...PrintRefusal[]]), detail: z.string() })
    .nullable(),
}).meta({ id: 'PrintFileResult' })
export type PrintFileResult = z.infer<typeof PrintFileResult>
