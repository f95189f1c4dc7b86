import { LIVE_SUBPROTOCOL } from '#protocol'
import { z } from 'zod'
import type { Case } from '../run.js'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectTrue } from '../expect.js'
import type { LiveClient } from '../live-client.js'
import { refusalOf } from './agent-socket.js'

const OURS = { group: 'decisions', section: 'decision 26' } as const

/** Subscribes to one printer; the full state has arrived. */
async function subscribe(ctx: Context, printerId: number): Promise<LiveClient> {
  const live = await ctx.openLive({ token: ctx.target.tokens.read })
  live.send({ subscribe: { printers: [printerId] } })
  await live.take('state')
  return live
}

async function newTicket({ owner }: Context): Promise<string> {
  return expectBody(await owner.post('/api/v1/live/ticket/'), z.object({ ticket: z.string() }), 201).ticket
}

export const liveCases: readonly Case[] = [
  {
    ...OURS,
    id: 'live/state',
    title: "A subscription to all begins with the full state of the user's printers",
    async run(ctx) {
      const live = await ctx.openLive({ token: ctx.target.tokens.read })
      expectEqual(live.protocol, LIVE_SUBPROTOCOL, 'the subprotocol')
      live.send({ subscribe: { printers: 'all' } })
      const { printers } = await live.take('state')
      const ids = printers.map(({ id }) => id)
      expectTrue(ids.includes(ctx.target.printer.id), "the state lacks the user's printer")
      expectTrue(!ids.includes(ctx.target.other_printer.id), "the state holds another user's printer")
    },
  },
  {
    ...OURS,
    id: 'live/foreign',
    title: "Subscribing to another user's printer gives nothing",
    async run(ctx) {
      const live = await ctx.openLive({ token: ctx.target.tokens.read })
      live.send({ subscribe: { printers: [ctx.target.other_printer.id] } })
      expectEqual((await live.take('state')).printers, [], 'the printers')
    },
  },
  {
    ...OURS,
    id: 'live/change',
    title: 'A status message reaches the subscriber as a change',
    async run(ctx) {
      const { printer, agent } = await ctx.connect()
      const live = await subscribe(ctx, printer.id)
      const message = ctx.message('Operational', { status: { currentZ: 3.75 } })
      agent.send(message)
      const changes = await live.takeChange(printer.id, ({ status }) => status !== undefined && status !== null)
      expectEqual(changes.status, message.status, 'the status')
    },
  },
  {
    ...OURS,
    id: 'live/print',
    title: 'The start and the end of a print reach the subscriber, with their events',
    async run(ctx) {
      const { printer, agent } = await ctx.connect()
      const live = await subscribe(ctx, printer.id)
      const printTs = ctx.now()
      agent.send(ctx.message('Printing', { printTs, event: { event_type: 'PrintStarted' } }))
      await live.takeChange(printer.id, ({ current_print }) => current_print !== undefined && current_print !== null)
      expectEqual((await live.take('event')).event_type, 'STARTED', 'the first event')
      agent.send(ctx.message('Operational', { printTs, event: { event_type: 'PrintDone' } }))
      await live.takeChange(printer.id, ({ current_print }) => current_print === null)
      expectEqual((await live.take('event')).event_type, 'ENDED', 'the second event')
    },
  },
  {
    ...OURS,
    id: 'live/command',
    title: "A command's progress reaches the subscriber",
    async run(ctx) {
      const { printer, agent } = await ctx.startPrint()
      const live = await subscribe(ctx, printer.id)
      await ctx.owner.post(`/api/v1/printers/${printer.id}/pause_print/`)
      expectEqual((await live.take('command')).status, 'sent', 'the first status')
      const { id } = await agent.takeCommand('pause')
      agent.acknowledge(id, { result: null })
      const acked = await live.take('command')
      expectEqual([acked.id, acked.status], [id, 'acked'], 'the second step')
    },
  },
  {
    ...OURS,
    id: 'live/offline',
    title: "An agent's going reaches the subscriber as the status null",
    async run(ctx) {
      const { printer, agent } = await ctx.startPrint()
      const live = await subscribe(ctx, printer.id)
      await agent.close()
      await live.takeChange(printer.id, ({ status }) => status === null)
    },
  },
  {
    ...OURS,
    id: 'live/removed',
    title: 'A deleted printer is reported as removed',
    async run(ctx) {
      const { id } = await ctx.idlePrinter()
      const live = await subscribe(ctx, id)
      await ctx.owner.delete(`/api/v1/printers/${id}/`)
      expectEqual((await live.take('removed')).id, id, 'the id')
    },
  },
  {
    ...OURS,
    id: 'live/ticket',
    title: 'A ticket opens the socket once, without any header',
    async run(ctx) {
      const ticket = await newTicket(ctx)
      const live = await ctx.openLive({ ticket })
      live.send({ subscribe: { printers: 'all' } })
      await live.take('state')
      expectEqual(await refusalOf(ctx.openLive({ ticket })), 401, 'the status of the second time')
    },
  },
  {
    ...OURS,
    id: 'live/refused',
    title: 'Without a valid credential the upgrade is 401, without "read" 403',
    async run(ctx) {
      const { tokens, printer } = ctx.target
      expectEqual(await refusalOf(ctx.openLive({})), 401, 'the status without a token')
      expectEqual(await refusalOf(ctx.openLive({ ticket: 'no-such-ticket' })), 401, 'the status of a wrong ticket')
      expectEqual(await refusalOf(ctx.openLive({ token: tokens.revoked })), 401, 'the status of a revoked token')
      expectEqual(await refusalOf(ctx.openLive({ token: printer.auth_token })), 401, "the status of an agent's token")
      expectEqual(await refusalOf(ctx.openLive({ token: tokens.write })), 403, 'the status of "write" alone')
    },
  },
  {
    ...OURS,
    id: 'live/bad-request',
    title: 'A request that cannot be understood is answered by an error; the socket stays open',
    async run(ctx) {
      const live = await ctx.openLive({ token: ctx.target.tokens.read })
      for (const text of ['{', '{"subscribe":{}}', '[]', '{"subscribe":{"printers":["1"]}}']) {
        live.sendText(text)
        await live.take('error')
      }
      live.send({ subscribe: { printers: 'all' } })
      await live.take('state')
    },
  },
]
