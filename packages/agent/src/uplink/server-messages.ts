import { AgentCommand, AgentError, RemoteStatus } from '@printwarden/protocol'
import { z } from 'zod'

/** What one message of the server holds, taken apart. */
export interface ServerMessage {
  readonly commands: readonly AgentCommand[]
  /** Commands that cannot be understood, but can be answered. */
  readonly badCommands: readonly { readonly id: string; readonly detail: string }[]
  /** Ids of the events that the server has stored. */
  readonly acknowledged: readonly string[]
  readonly remoteStatus: RemoteStatus | undefined
  readonly error: AgentError | undefined
  /** When it left, by the server's monotonic clock. */
  readonly sentMs: number | undefined
}

const Envelope = z.looseObject({
  commands: z.array(z.unknown()).optional().catch(undefined),
  ack: z
    .looseObject({ events: z.array(z.string()) })
    .optional()
    .catch(undefined),
  remote_status: RemoteStatus.optional().catch(undefined),
  error: AgentError.optional().catch(undefined),
  sent_ms: z.number().nonnegative().optional().catch(undefined),
})

const WithId = z.looseObject({ id: z.uuid() })

/** Reads a message; undefined when it is not even a JSON object. A part that is wrong does not spoil the others. */
export function readServerMessage(text: string): ServerMessage | undefined {
  const envelope = Envelope.safeParse(parseJson(text)).data
  if (!envelope) return undefined
  const commands: AgentCommand[] = []
  const badCommands: { id: string; detail: string }[] = []
  for (const value of envelope.commands ?? []) {
    const command = AgentCommand.safeParse(value)
    const id = WithId.safeParse(value).data?.id
    if (command.success) commands.push(command.data)
    else if (id !== undefined) badCommands.push({ id, detail: z.prettifyError(command.error) })
  }
  return {
    commands,
    badCommands,
    acknowledged: envelope.ack?.events ?? [],
    remoteStatus: envelope.remote_status,
    error: envelope.error,
    sentMs: envelope.sent_ms,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
