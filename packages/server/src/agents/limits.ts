import type { Rate } from './token-bucket.js'

/** What one agent's socket may cost the server. */
export interface AgentLimits {
  /**
   * Messages: 1000 at once, since an agent that was offline for long comes back with a full outbox, and 50 a second in the long
   * run. More closes the socket with 4429. Every 4 KiB count as one message.
   */
  readonly messages: Rate
  /** How often the server pings. Who is silent for a whole interval is gone (4408). */
  readonly pingIntervalMs: number
  /** Messages that wait to be applied; above this the server stops reading from the socket until it has caught up. */
  readonly maxWaiting: number
  /** Bytes that wait for the agent to read them; above this the agent is taken for gone. */
  readonly maxUnreadBytes: number
}

export const AGENT_LIMITS: AgentLimits = {
  messages: { perSecond: 50, burst: 1000 },
  pingIntervalMs: 20_000,
  maxWaiting: 64,
  maxUnreadBytes: 1024 * 1024,
}

const BYTES_PER_MESSAGE = 4096

/** What a frame costs of `AgentLimits.messages`. */
export const messageCost = (bytes: number): number => Math.max(1, Math.ceil(bytes / BYTES_PER_MESSAGE))
