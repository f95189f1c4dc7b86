import { z } from 'zod'

/** What the server can ask an agent to do (decision 15). */
export const COMMAND_NAMES = [
  'pause',
  'resume',
  'cancel',
  'print',
  'snapshot',
  'start_watching',
  'stop_watching',
  'connect',
  'emergency_stop',
  'restart_firmware',
  'exclude_object',
  'answer_prompt',
  'list_files',
  'print_file',
] as const

/** One of the commands. */
export const CommandName = z.enum(COMMAND_NAMES)
export type CommandName = z.infer<typeof CommandName>

/** How a print is parked: lengths in mm; heaters that are turned off are heated again before the print resumes. */
export const PauseArgs = z.looseObject({
  retract: z.number().optional(),
  lift_z: z.number().optional(),
  tools_off: z.boolean().optional(),
  bed_off: z.boolean().optional(),
})
export type PauseArgs = z.infer<typeof PauseArgs>

/** Which stored file to print. `sha256` is in hexadecimal, `url` works without any other credential. */
export const PrintArgs = z.looseObject({
  g_code_file_id: z.number().int().positive(),
  filename: z.string(),
  num_bytes: z.number().int().nonnegative(),
  sha256: z.string(),
  url: z.url(),
})
export type PrintArgs = z.infer<typeof PrintArgs>

/** Of a printer that is watched by its picture alone: what the print that begins now is called. */
export const StartWatchingArgs = z.looseObject({ name: z.string().min(1).max(1000) })
export type StartWatchingArgs = z.infer<typeof StartWatchingArgs>

/** How the print has ended that was watched by its picture: only a person can say. */
export const StopWatchingArgs = z.looseObject({ outcome: z.enum(['done', 'cancelled']).default('done') })
export type StopWatchingArgs = z.infer<typeof StopWatchingArgs>

/** Which object of the running print is left out from now on, as `status.objects` names it. */
export const ExcludeObjectArgs = z.looseObject({ name: z.string().min(1).max(200) })
export type ExcludeObjectArgs = z.infer<typeof ExcludeObjectArgs>

/** The answer to the question that `status.prompt` shows under this id: the place of the choice in its list, from 0. */
export const AnswerPromptArgs = z.looseObject({
  prompt_id: z.string().min(1).max(100),
  choice: z.number().int().min(0).max(99),
})
export type AnswerPromptArgs = z.infer<typeof AnswerPromptArgs>

/** Where a file lies that is the printer's own: with its host, or on its SD card. */
export const FileOrigin = z.enum(['local', 'sdcard'])
export type FileOrigin = z.infer<typeof FileOrigin>

/** Which of the printer's own files to print: its path as the list of files tells it. */
export const PrintFileArgs = z.looseObject({
  path: z.string().min(1).max(1000),
  origin: FileOrigin.default('local'),
})
export type PrintFileArgs = z.infer<typeof PrintFileArgs>

/** A list of files holds at most this many, the newest. */
export const MAX_PRINTER_FILES = 500

/** One of the printer's own files. `size` is in bytes, `date` in Unix seconds; null where its host does not say. */
export const PrinterFile = z
  .object({
    path: z.string().min(1).max(1000),
    origin: FileOrigin,
    size: z.number().nonnegative().nullable(),
    date: z.number().nonnegative().nullable(),
  })
  .meta({ id: 'PrinterFile' })
export type PrinterFile = z.infer<typeof PrinterFile>

/** What `list_files` answers. `is_cut` says that there are more files than are told. */
export const PrinterFiles = z
  .object({ files: z.array(PrinterFile).max(MAX_PRINTER_FILES), is_cut: z.boolean() })
  .meta({ id: 'PrinterFiles' })
export type PrinterFiles = z.infer<typeof PrinterFiles>

/** Who asked: an app, the dashboard, or the server by itself. */
export const Initiator = z.enum(['api', 'web', 'system', 'unknown'])
export type Initiator = z.infer<typeof Initiator>

/** The life of a command: handed over, acknowledged by the agent, seen in the printer's state; or it failed or ran out of time. */
export const CommandStatus = z.enum(['sent', 'acked', 'done', 'failed', 'timed_out'])
export type CommandStatus = z.infer<typeof CommandStatus>
