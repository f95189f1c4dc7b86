import { AgentCommand, RemoteStatus, type ServerToAgent } from '@printwarden/protocol'
import { z } from 'zod'

const ToAgentPayload = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('command'), ...AgentCommand.shape }),
  z.looseObject({ type: z.literal('remote_status'), ...RemoteStatus.shape }),
])

/** A message of the bus as the frame that the agent gets; undefined when it is none. */
export function toAgentFrame(payload: unknown): ServerToAgent | undefined {
  const parsed = ToAgentPayload.safeParse(payload).data
  if (parsed === undefined) return undefined
  const { type, ...content } = parsed
  return type === 'command' ? { commands: [AgentCommand.parse(content)] } : { remote_status: content }
}
