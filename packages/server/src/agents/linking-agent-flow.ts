import type { AgentLinkState } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import type { Clock, Database } from '../ports.js'
import { findPrinter, type PrinterRow } from '../printers/store.js'
import type { LinkCodeFlow } from './linking-code-flow.js'
import { drawCode, drawUntil } from './linking-digits-flow.js'
import { MAX_WAITING } from './linking-limits.js'
import {
  countWaitingAgents,
  findAgentLink,
  insertAgentLink,
  setAgentLinkPrinter,
  takeAgentLink,
  takeAgentLinkCode,
} from './linking-store.js'

/** How long an agent shows its code (decision 28). */
const LINK_LIFETIME_S = 900

/** How long an agent has to fetch its token once the code was entered, even at the last moment. */
const FETCH_LIFETIME_MS = 5 * 60_000

const SECRET_BYTES = 32

export interface AgentLinkFlowDeps {
  readonly database: Database
  readonly clock: Clock
  readonly secrets: { hash(text: string): string; newToken(bytes: number): string; decrypt(text: string): string }
  readonly codes: Pick<LinkCodeFlow, 'link' | 'tellLinked'>
}

export type AgentLinkFlow = ReturnType<typeof agentLinkFlow>

/** Agents that show a code, which a signed-in user enters (decision 28). */
export function agentLinkFlow({ database, clock, secrets, codes }: AgentLinkFlowDeps) {
  /** @throws {ApiError} unavailable when too many agents wait */
  async function start(device: { device_name: string; agent_version: string }) {
    const now = clock.now()
    const secret = secrets.newToken(SECRET_BYTES)
    const row = {
      ...device,
      secret_hash: secrets.hash(secret),
      created_at: now,
      expires_at: now + LINK_LIFETIME_S * 1000,
      printer_id: null,
    }
    const code = await database.transaction(async (trx) => {
      if ((await countWaitingAgents(trx, now)) >= MAX_WAITING) {
        throw new ApiError('unavailable', 'Too many agents wait to be linked.', { retryAfterSeconds: 60 })
      }
      return drawUntil(drawCode, async (drawn) => {
        return (await insertAgentLink(trx, { ...row, live_code: drawn })) ? drawn : undefined
      })
    })
    return { code, secret, expires_in: LINK_LIFETIME_S }
  }

  /** Links the agent that shows this code. @throws {ApiError} not_found when the code or the printer is not there */
  async function enter(
    userId: number,
    { code, name, printer_id }: { code: string; name?: string | undefined; printer_id?: number | undefined },
  ): Promise<PrinterRow> {
    const now = clock.now()
    const linked = await database.transaction(async (trx) => {
      const waiting = await takeAgentLinkCode(trx, code, { now, expiresAt: now + FETCH_LIFETIME_MS })
      if (waiting === undefined) throw new ApiError('not_found')
      const target = { printer_id: printer_id ?? null, name: name ?? waiting.device_name }
      const got = await codes.link(trx, userId, target)
      await setAgentLinkPrinter(trx, waiting.id, got.printer.id)
      return got
    })
    codes.tellLinked(linked)
    return linked.printer
  }

  /** What became of the code. The `auth_token` is handed out once. @throws {ApiError} expired */
  async function poll(secret: string): Promise<AgentLinkState> {
    const now = clock.now()
    const waiting = await findAgentLink(database.db, secrets.hash(secret), now)
    if (waiting === undefined) throw new ApiError('expired')
    if (waiting.printer_id === null) {
      return { state: 'pending', expires_in: Math.ceil((waiting.expires_at - now) / 1000) }
    }
    const printer = await findPrinter(database.db, waiting.printer_id)
    if (printer === undefined || !(await takeAgentLink(database.db, waiting.id))) throw new ApiError('expired')
    return { state: 'linked', printer_id: printer.id, auth_token: secrets.decrypt(printer.auth_token_encrypted) }
  }

  return { start, enter, poll }
}
