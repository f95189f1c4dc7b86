import { MAX_MESSAGE_BYTES } from '@printwarden/protocol'
import { DEFAULT_LIMITS } from '../limits/settings.js'
import type { Rate } from '../limits/token-bucket.js'

/** What one agent's socket may cost the server. */
export interface AgentLimits {
  /** Messages; more closes the socket with 4429. A new socket of the same printer goes on counting where the last one ended. */
  readonly messages: Rate
  /** The same for upstream agents. */
  readonly upstreamMessages: Rate
  /** How often the server pings. Who is silent for a whole interval is gone (4408). */
  readonly pingIntervalMs: number
  /** How often it is looked up whether the agents that are connected would be let in again. */
  readonly checkIntervalMs: number
  /** Messages that wait to be applied; above this the server stops reading from the socket until it has caught up. */
  readonly maxWaiting: number
  /** Bytes that wait for the agent to read them; above this the agent is taken for gone. */
  readonly maxUnreadBytes: number
}

export const AGENT_LIMITS: AgentLimits = {
  messages: DEFAULT_LIMITS.agent_messages,
  upstreamMessages: DEFAULT_LIMITS.upstream_agent_messages,
  pingIntervalMs: 20_000,
  checkIntervalMs: 60_000,
  maxWaiting: 64,
  maxUnreadBytes: 1024 * 1024,
}

export const BYTES_PER_MESSAGE = 4096

/** What a frame costs of `AgentLimits.messages`. One that is too large is not read, and ends the connection with its own code. */
export function messageCost(bytes: number): number {
  return bytes > MAX_MESSAGE_BYTES ? 1 : Math.max(1, Math.ceil(bytes / BYTES_PER_MESSAGE))
}
