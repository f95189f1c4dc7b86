import type { ServerToAgent } from '@printwarden/protocol'
import type { AgentSession } from './flow.js'
import { type Frame, readFrame } from './frame.js'
import { toAgentFrame } from './to-agent.js'

/** What becomes of a message of the bus: what is written to the agent, and what the connection is to apply as if the agent had said it. */
export interface HandedOver {
  readonly frame?: object
  readonly said?: Frame
}

/** The dialect of one agent's connection. Behind it nobody knows which one it was. */
export interface Door {
  /** Whether frames with commands say when they left. */
  readonly tellsTime: boolean
  /** What one frame of the agent says, in order. */
  read(bytes: Buffer, isBinary: boolean, session: AgentSession): readonly Frame[]
  /** The frame for the agent; undefined when there is no word for it. */
  write(frame: ServerToAgent): object | undefined
  /** Something of the bus for the agent; undefined when this door does not take it. */
  handOver(payload: unknown): HandedOver | undefined
  /** The connection has ended. */
  close(): void
}

/** Our own door, which needs no translation. */
export const OWN_DOOR: Door = {
  tellsTime: true,
  read: (bytes, isBinary) => [readFrame(bytes, isBinary)],
  write: (frame) => frame,
  handOver: (payload) => {
    const frame = toAgentFrame(payload)
    return frame && { frame }
  },
  close: () => {},
}
