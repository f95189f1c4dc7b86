import { AGENT_SUBPROTOCOL } from '@printwarden/protocol'
import { z } from 'zod'
import { ApiError } from '../errors.js'
import type { AgentCaller } from '../http/api.js'

/**
 * Refuses a client that speaks only other protocols. None offered means ours (decision 15).
 * @throws {ApiError} invalid_request
 */
export function checkSubprotocol(offered: string | undefined): void {
  if (offered === undefined) return
  const names = offered.split(',').map((name) => name.trim())
  if (!names.includes(AGENT_SUBPROTOCOL)) {
    throw new ApiError('invalid_request', `The subprotocol must be ${AGENT_SUBPROTOCOL}.`)
  }
}

const Revoked = z.discriminatedUnion('type', [
  z.object({ type: z.literal('printer'), printer_id: z.number() }),
  z.object({ type: z.literal('user'), user_id: z.number() }),
])

/** Whether a notice may be about this agent. Sessions and tokens of users are not an agent's. */
export function mayConcern(notice: unknown, agent: AgentCaller): boolean {
  const revoked = Revoked.safeParse(notice).data
  if (revoked === undefined) return false
  return revoked.type === 'printer' ? revoked.printer_id === agent.printer_id : revoked.user_id === agent.user_id
}
