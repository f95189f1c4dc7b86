import { AgentCommand, RemoteStatus, type ServerToAgent } from '@printwarden/protocol'
import { z } from 'zod'

const ToAgentPayload = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('command'), ...AgentCommand.shape }),
  z.looseObject({ type: z.literal('remote_status'), ...RemoteStatus.shape }),
  z.object({
    type: z.literal('passthru'),
    passthru: z.object({
      target: z.string(),
      func: z.string(),
      args: z.array(z.unknown()).optional(),
      kwargs: z.record(z.string(), z.unknown()).optional(),
      ref: z.string().optional(),
    }),
  }),
  z.object({ type: z.literal('janus'), janus: z.string() }),
])
export type ToAgentPayload = z.infer<typeof ToAgentPayload>

/** A message of the bus, if it is one for an agent. */
export function readToAgent(payload: unknown): ToAgentPayload | undefined {
  return ToAgentPayload.safeParse(payload).data
}

/** A message of the bus as the frame that the agent gets; undefined when it is none for our own door. */
export function toAgentFrame(payload: unknown): ServerToAgent | undefined {
  const parsed = readToAgent(payload)
  if (parsed === undefined || parsed.type === 'passthru' || parsed.type === 'janus') return undefined
  const { type, ...content } = parsed
  return type === 'command' ? { commands: [AgentCommand.parse(content)] } : { remote_status: content }
}
