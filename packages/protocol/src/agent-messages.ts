import { z } from 'zod'
import { CommandName, Initiator } from './commands.js'

/** The subprotocol of the agent's websocket. */
export const AGENT_SUBPROTOCOL = 'agent.v1'

/** The path of the agent's websocket. */
export const AGENT_SOCKET_PATH = '/ws/agent/'

/**
 * One command (decision 16). The same `id` is carried out once, however often it arrives. `expires_in_ms` counts from arrival,
 * since the clock of a printer host may be wrong; a command that has run out is not carried out.
 */
export const AgentCommand = z.looseObject({
  id: z.uuid(),
  cmd: CommandName,
  args: z.looseObject({}),
  initiator: Initiator,
  expires_in_ms: z.number().positive(),
})
export type AgentCommand = z.infer<typeof AgentCommand>

/**
 * Whether somebody looks at the printer now, and whether its pictures are checked for failures. `interval_ms` asks for a picture
 * that often while printing, when that is more often than the agent would send them; null ends the wish.
 */
export const RemoteStatus = z.looseObject({
  viewing: z.boolean().optional(),
  should_watch: z.boolean().optional(),
  interval_ms: z.number().positive().nullable().optional(),
})
export type RemoteStatus = z.infer<typeof RemoteStatus>

/** Why a message was not applied. `path` names the offending field, dotted. */
export const AgentError = z.looseObject({
  code: z.string(),
  detail: z.string(),
  path: z.string().optional(),
})
export type AgentError = z.infer<typeof AgentError>

/**
 * Everything the server sends to an agent. Each frame has one or more of these keys. `sent_ms` is when a frame with commands left, by the
 * server's monotonic clock; the payload of its pings is the same in digits. An agent that finds a frame to have been under way for
 * longer than others takes that time from `expires_in_ms`.
 */
export const ServerToAgent = z.looseObject({
  commands: z.array(AgentCommand).optional(),
  ack: z.looseObject({ events: z.array(z.uuid()) }).optional(),
  remote_status: RemoteStatus.optional(),
  webrtc: z.looseObject({}).optional(),
  error: AgentError.optional(),
  sent_ms: z.number().nonnegative().optional(),
})
export type ServerToAgent = z.infer<typeof ServerToAgent>

/** The agent's answer to a command: `result` when the host took it, `error` when it did not. */
export const CommandAck = z.looseObject({
  ack: z.looseObject({
    id: z.uuid(),
    result: z.unknown().optional(),
    error: z.looseObject({ code: z.string(), detail: z.string() }).optional(),
  }),
})
export type CommandAck = z.infer<typeof CommandAck>
