import { expect, test } from 'vitest'
import { memoryBus } from '../adapters/bus-memory.js'
import type { Caller } from '../http/api.js'
import { REVOKED_SUBJECT, type RevokedNotice } from '../printers/notices.js'
import { TICKET_LIFETIME_MS, ticketFlow } from './ticket-flow.js'

const caller: Caller = {
  user_id: 1,
  email: 'a@b',
  is_admin: false,
  scopes: ['read', 'write'],
  via: { type: 'token', token_id: 5 },
}
const session: Caller = { ...caller, via: { type: 'session', session_id: 6 } }

function start() {
  const ignore = () => {}
  const bus = memoryBus({ error: ignore, warn: ignore, info: ignore, debug: ignore })
  const clock = { time: 1000, now: () => clock.time }
  return { bus, clock, tickets: ticketFlow({ bus, clock }) }
}

test('a ticket lets its holder in, once', async () => {
  const { tickets } = start()
  const { ticket, expires_at } = tickets.create(caller)
  expect(expires_at).toBe(1000 + TICKET_LIFETIME_MS)
  const both = await Promise.all([tickets.redeem(ticket), tickets.redeem(ticket)])
  expect(both).toEqual([caller, undefined])
})

test('at another node too', async () => {
  const { bus, clock, tickets } = start()
  const { ticket } = tickets.create(caller)
  expect(await ticketFlow({ bus, clock }).redeem(ticket)).toEqual(caller)
  expect(await tickets.redeem(ticket)).toBeUndefined()
})

test.each([
  { name: 'too late', after: TICKET_LIFETIME_MS, works: false },
  { name: 'just in time', after: TICKET_LIFETIME_MS - 1, works: true },
])('$name', async ({ after, works }) => {
  const { clock, tickets } = start()
  const { ticket } = tickets.create(caller)
  clock.time += after
  expect((await tickets.redeem(ticket)) !== undefined).toBe(works)
})

test.each(['', 'x', 'a.b', '.'])('"%s" is no ticket', async (ticket) => {
  expect(await start().tickets.redeem(ticket)).toBeUndefined()
})

test.each<{ name: string; who: Caller; notice: RevokedNotice; works: boolean }>([
  { name: 'the token it was asked for with', who: caller, notice: { type: 'token', token_id: 5 }, works: false },
  { name: 'another token', who: caller, notice: { type: 'token', token_id: 6 }, works: true },
  { name: 'the session', who: session, notice: { type: 'session', session_id: 6 }, works: false },
  { name: 'the account', who: caller, notice: { type: 'user', user_id: 1 }, works: false },
  { name: 'another account', who: caller, notice: { type: 'user', user_id: 2 }, works: true },
  { name: 'a printer', who: caller, notice: { type: 'printer', printer_id: 5 }, works: true },
])('a ticket after revoking $name: $works', async ({ who, notice, works }) => {
  const { bus, tickets } = start()
  const { ticket } = tickets.create(who)
  bus.publish(REVOKED_SUBJECT, notice)
  await Promise.resolve()
  expect((await tickets.redeem(ticket)) !== undefined).toBe(works)
})

test('tickets that nobody uses do not pile up', async () => {
  const { clock, tickets } = start()
  const { ticket: first } = tickets.create(caller)
  for (let count = 0; count < 10_000; count += 1) tickets.create(caller)
  expect(await tickets.redeem(first)).toBeUndefined()
  clock.time += TICKET_LIFETIME_MS
  const { ticket } = tickets.create(caller)
  expect(await tickets.redeem(ticket)).toEqual(caller)
})
