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

/** Who asked: an app, the dashboard, or the server by itself. */
export const Initiator = z.enum(['api', 'web', 'system', 'unknown'])
export type Initiator = z.infer<typeof Initiator>

/** The life of a command: handed over, acknowledged by the agent, seen in the printer's state; or it failed or ran out of time. */
export const CommandStatus = z.enum(['sent', 'acked', 'done', 'failed', 'timed_out'])
export type CommandStatus = z.infer<typeof CommandStatus>
