import { randomBytes } from 'node:crypto'
import { SCOPES } from '@printwarden/protocol'
import { z } from 'zod'
import type { Caller } from '../http/api.js'
import type { Bus, Clock } from '../ports.js'
import { REVOKED_SUBJECT, type RevokedNotice } from '../printers/notices.js'
import { isRevokedBy } from './revocation.js'

/** How long a ticket may be used (decision 26). */
export const TICKET_LIFETIME_MS = 30_000

/** Nobody needs more at a time; beyond it the oldest are dropped. */
export const MAX_TICKETS = 10_000

const ASK_TIMEOUT_MS = 1000

const TicketCaller = z.object({
  user_id: z.number(),
  email: z.string(),
  is_admin: z.boolean(),
  scopes: z.array(z.enum(SCOPES)),
  via: z.union([
    z.object({ type: z.literal('session'), session_id: z.number() }),
    z.object({ type: z.literal('token'), token_id: z.number() }),
  ]),
})

export type TicketFlow = ReturnType<typeof ticketFlow>

/**
 * Tickets that let their holder in once, in the name of who asked for them. They live in the memory of the node that made them,
 * which every node can ask by the bus: so a ticket is good at any node, and only once.
 */
export function ticketFlow({ bus, clock }: { readonly bus: Bus; readonly clock: Clock }) {
  const node = randomBytes(8).toString('hex')
  const tickets = new Map<string, { readonly caller: Caller; readonly expiresAt: number }>()

  function create(caller: Caller): { ticket: string; expires_at: number } {
    const now = clock.now()
    // In order of age, so the old ones stand first.
    for (const [ticket, { expiresAt }] of tickets) {
      if (expiresAt > now && tickets.size < MAX_TICKETS) break
      tickets.delete(ticket)
    }
    const ticket = `${node}.${randomBytes(32).toString('hex')}`
    const expires_at = now + TICKET_LIFETIME_MS
    tickets.set(ticket, { caller, expiresAt: expires_at })
    return { ticket, expires_at }
  }

  function take(ticket: unknown): Caller | null {
    const found = typeof ticket === 'string' ? tickets.get(ticket) : undefined
    if (found === undefined || typeof ticket !== 'string') return null
    tickets.delete(ticket)
    return found.expiresAt > clock.now() ? found.caller : null
  }

  /** Who the ticket lets in; undefined when it is unknown, used or too old. */
  async function redeem(ticket: string): Promise<Caller | undefined> {
    const [owner = ''] = ticket.split('.')
    return TicketCaller.safeParse(await bus.request(subjectOf(owner), ticket, ASK_TIMEOUT_MS)).data
  }

  const stops = [
    bus.subscribe(subjectOf(node), take),
    bus.subscribe(REVOKED_SUBJECT, (payload) => {
      for (const [ticket, { caller }] of tickets) {
        if (isRevokedBy(caller, payload as RevokedNotice)) tickets.delete(ticket)
      }
    }),
  ]

  return { create, redeem, close: () => stops.forEach((stop) => stop()) }
}

const subjectOf = (node: string): string => `live-ticket.${node}`
