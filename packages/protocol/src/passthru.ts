import { z } from 'zod'

/** What existing agents let be called in them by name, and whether their functions are named as in a program or by a path. */
export const PASSTHRU_TARGETS = {
  _printer: 'name',
  _file_manager: 'name',
  file_downloader: 'name',
  file_operations: 'name',
  jpeg_poster: 'name',
  webcam_streamer: 'name',
  gcode_hooks: 'name',
  moonraker_api: 'path',
} as const satisfies Record<string, 'name' | 'path'>

/** One of the targets. */
export const PassthruTarget = z.enum(
  Object.keys(PASSTHRU_TARGETS) as [keyof typeof PASSTHRU_TARGETS, ...(keyof typeof PASSTHRU_TARGETS)[]],
)
export type PassthruTarget = z.infer<typeof PassthruTarget>

/** What a function may be called: agents look names up in themselves, where a leading underscore means "not for you". */
const FUNCTION_NAMES = { name: /^[A-Za-z]\w{0,99}$/, path: /^[A-Za-z]\w*(?:[./-]\w+){0,30}$/ } as const

const MAX_FUNCTION_LENGTH = 200

const call = z.object({
  target: PassthruTarget,
  func: z.string().min(1).max(MAX_FUNCTION_LENGTH),
  args: z.array(z.unknown()).max(100).optional(),
  kwargs: z.record(z.string().max(200), z.unknown()).optional(),
})

function checkFunction({ target, func }: z.infer<typeof call>, context: z.RefinementCtx): void {
  if (FUNCTION_NAMES[PASSTHRU_TARGETS[target]].test(func)) return
  context.addIssue({ code: 'custom', path: ['func'], message: `is not the name of a function of ${target}` })
}

/** A function of one of the targets, with its arguments. */
export const PassthruCall = call.superRefine(checkFunction)
export type PassthruCall = z.infer<typeof PassthruCall>

/** The longest that a call is waited for, and for how long without a wish; in seconds. */
export const MAX_PASSTHRU_SECONDS = 60
const DEFAULT_PASSTHRU_SECONDS = 10

/** A call as an app asks for it, and how long it waits for the agent to return. */
export const PassthruRequest = call
  .extend({ timeout_seconds: z.number().min(1).max(MAX_PASSTHRU_SECONDS).default(DEFAULT_PASSTHRU_SECONDS) })
  .superRefine(checkFunction)
  .meta({ id: 'PassthruRequest' })
export type PassthruRequest = z.infer<typeof PassthruRequest>

/** Why a call has no result: no agent that takes it is connected, the agent gave no answer in time, or it answered with an error. */
export const PassthruFailure = z.enum(['not_connected', 'no_answer', 'agent_error'])
export type PassthruFailure = z.infer<typeof PassthruFailure>

/** What became of a call. `ret` is what the agent returned, whatever that is; null when it failed. */
export const PassthruResult = z
  .object({
    succeeded: z.boolean(),
    ret: z.unknown(),
    error: z.object({ code: PassthruFailure, detail: z.string() }).nullable(),
  })
  .meta({ id: 'PassthruResult' })
export type PassthruResult = z.infer<typeof PassthruResult>

/** The subprotocol of the relay to an agent's video gateway. */
export const JANUS_SUBPROTOCOL = 'janus-protocol'
