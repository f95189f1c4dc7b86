import { z } from 'zod'
import { expectEqual, expectTrue } from '../../expect.js'
import type { AgentCase, AgentContext } from '../context.js'
import type { AgentConnection } from '../connection.js'

const EVENTS = { group: 'decisions', section: 'decision 18' } as const

/** Starts a print whose start is not acknowledged. */
async function unacknowledgedStart(
  ctx: AgentContext,
): Promise<{ id: string; age: number; connection: AgentConnection }> {
  const connection = await ctx.idle()
  ctx.server.acknowledges = false
  const { event } = await ctx.startPrint(connection)
  expectTrue(event?.id !== undefined, 'PrintStarted has no id')
  return { id: event.id, age: event.age_ms ?? 0, connection }
}

const timesSent = ({ messages }: AgentConnection, id: string): number =>
  messages.filter(({ event }) => event?.id === id).length

export const agentEventCases: readonly AgentCase[] = [
  {
    ...EVENTS,
    id: 'agent-events/id',
    title: 'Each event has a UUID of its own, and an age',
    async run(ctx) {
      const connection = await ctx.printing()
      const from = connection.messages.length
      await ctx.order(connection, 'pause')
      const paused = await ctx.event(connection, 'PrintPaused', from)
      await ctx.order(connection, 'resume')
      const resumed = await ctx.event(connection, 'PrintResumed', from)
      const [first, second] = [paused, resumed].map(({ event }) => z.uuid().parse(event?.id))
      expectTrue(first !== second, 'both have the same id')
      expectTrue((paused.event?.age_ms ?? -1) >= 0, 'there is no age_ms')
    },
  },
  {
    ...EVENTS,
    id: 'agent-events/sent-again',
    title: 'An event that was not acknowledged is sent again after reconnecting: with the same id, and older',
    async run(ctx) {
      const { id, age, connection } = await unacknowledgedStart(ctx)
      const again = await ctx.reconnect(connection)
      const repeated = await ctx.message(again, 'the event again', ({ event }) => event?.id === id)
      expectEqual(repeated.event?.event_type, 'PrintStarted', 'the type')
      expectTrue((repeated.event?.age_ms ?? 0) > age, `age_ms is ${repeated.event?.age_ms}, and was ${age}`)
      again.acknowledgeEvents(id)
    },
  },
  {
    ...EVENTS,
    id: 'agent-events/until-acknowledged',
    title: 'It is sent over each new connection until it is acknowledged, and not after that',
    async run(ctx) {
      const { id, connection } = await unacknowledgedStart(ctx)
      const second = await ctx.reconnect(connection)
      await ctx.message(second, 'the event on the second connection', ({ event }) => event?.id === id)
      const third = await ctx.reconnect(second)
      await ctx.message(third, 'the event on the third connection', ({ event }) => event?.id === id)
      third.acknowledgeEvents(id)
      // The acknowledgement has been read when a later frame is answered.
      await ctx.ack(third, ctx.send(third, 'snapshot'))
      const fourth = await ctx.reconnect(third)
      await ctx.message(fourth, 'a status message without an event', ({ event }) => event === undefined)
      await ctx.ack(fourth, ctx.send(fourth, 'snapshot'))
      expectEqual(timesSent(fourth, id), 0, 'how often it was sent after its acknowledgement')
    },
  },
  {
    ...EVENTS,
    id: 'agent-events/once',
    title: 'An event that is acknowledged at once is sent once',
    async run(ctx) {
      const connection = await ctx.idle()
      const { event } = await ctx.startPrint(connection)
      await ctx.ack(connection, ctx.send(connection, 'snapshot'))
      expectEqual(timesSent(connection, event?.id ?? ''), 1, 'how often it was sent')
    },
  },
  {
    ...EVENTS,
    id: 'agent-events/order',
    title: 'Events that wait are sent in the order in which they happened',
    async run(ctx) {
      const connection = await ctx.idle()
      ctx.server.acknowledges = false
      const from = connection.messages.length
      const started = await ctx.startPrint(connection)
      await ctx.state(connection, 'Printing')
      await ctx.order(connection, 'pause')
      const paused = await ctx.event(connection, 'PrintPaused', from)
      const again = await ctx.reconnect(connection)
      const wanted = [started, paused].map(({ event }) => event?.id)
      await ctx.message(again, 'the second event', ({ event }) => event?.id === wanted[1])
      const ids = again.messages.flatMap(({ event }) => event?.id ?? []).filter((id) => wanted.includes(id))
      expectEqual(ids.slice(0, 2), wanted, 'the order')
      again.acknowledgeEvents(...ids)
    },
  },
]
