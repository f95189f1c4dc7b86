import { AGENT_SUBPROTOCOL, CLOSE_CODES, PrinterEvent } from '#protocol'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Case } from '../run.js'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectTrue } from '../expect.js'
import { UpgradeRefused } from '../socket.js'

const OPENING = { group: 'decisions', section: 'decision 15' } as const
const TALKING = { group: 'decisions', section: 'decision 16' } as const

/** The status with which the upgrade is refused. */
export async function refusalOf(opening: Promise<unknown>): Promise<number> {
  try {
    await opening
  } catch (err) {
    if (err instanceof UpgradeRefused) return err.status
    throw err
  }
  throw new Error('the socket was opened')
}

/** The history of one print, newest first. */
async function eventsOf({ owner }: Context, printId: number): Promise<PrinterEvent[]> {
  return expectBody(await owner.get(`/api/v1/printer_events/?print_id=${printId}`), z.array(PrinterEvent))
}

export const agentSocketCases: readonly Case[] = [
  ...['Bearer', 'Token'].map(
    (scheme): Case => ({
      ...OPENING,
      id: `agent-socket/open-${scheme.toLowerCase()}`,
      title: `Authorization: ${scheme} with the auth_token opens the socket`,
      async run(ctx) {
        const printer = await ctx.idlePrinter()
        const agent = await ctx.openAgent(printer.auth_token, { scheme })
        expectEqual(agent.protocol, AGENT_SUBPROTOCOL, 'the subprotocol')
        const message = ctx.message('Operational')
        agent.send(message)
        await ctx.shown(printer, message)
      },
    }),
  ),
  {
    ...OPENING,
    id: 'agent-socket/no-subprotocol',
    title: 'An agent that offers no subprotocol is understood as agent.v1',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const agent = await ctx.openAgent(printer.auth_token, { protocols: [] })
      const message = ctx.message('Operational')
      agent.send(message)
      await ctx.shown(printer, message)
    },
  },
  {
    ...OPENING,
    id: 'agent-socket/refused',
    title: "A wrong token, a user's token or none is 401 at the upgrade",
    async run(ctx) {
      for (const token of ['0'.repeat(40), ctx.target.tokens.read_write, undefined]) {
        expectEqual(await refusalOf(ctx.openAgent(token)), 401, 'the status')
      }
      await ctx.openAgent(ctx.target.printer.auth_token)
    },
  },
  {
    ...TALKING,
    id: 'agent-socket/replaced',
    title: 'A newer socket of the same agent replaces the first, which is closed with 4321',
    async run(ctx) {
      const { printer, agent: first } = await ctx.connect()
      const second = await ctx.openAgent(printer.auth_token)
      expectEqual(await first.takeClose(), CLOSE_CODES.replaced, 'the close code')
      const message = ctx.message('Operational')
      second.send(message)
      await ctx.shown(printer, message)
    },
  },
  {
    id: 'agent-socket/offline',
    group: 'decisions',
    section: 'decision 19',
    title: 'The status is null once the socket is closed, and the print stays open',
    async run(ctx) {
      const { printer, agent, printId } = await ctx.startPrint()
      await agent.close()
      const { current_print } = await ctx.printerWhen(printer, 'the status is null', ({ status }) => status === null)
      expectEqual(current_print?.id, printId, 'the current print')
    },
  },
  {
    id: 'agent-socket/host-offline',
    group: 'decisions',
    section: 'decision 1',
    title: 'A lost host is told by the state text Offline; the running print stays open',
    async run(ctx) {
      const { printer, agent, printTs, printId } = await ctx.startPrint()
      const { current_print } = await ctx.applied({ printer, agent }, ctx.message('Offline', { printTs }))
      expectEqual(current_print?.id, printId, 'the current print')
    },
  },
  {
    ...TALKING,
    id: 'agent-socket/printer-deleted',
    title: 'Deleting the printer closes its socket with 4401, and it is not let in again',
    async run(ctx) {
      const { printer, agent } = await ctx.connect()
      const message = ctx.message('Operational')
      agent.send(message)
      await ctx.shown(printer, message)
      await ctx.owner.delete(`/api/v1/printers/${printer.id}/`)
      expectEqual(await agent.takeClose(), CLOSE_CODES.unauthorized, 'the close code')
      expectEqual(await refusalOf(ctx.openAgent(printer.auth_token)), 401, 'the status')
    },
  },
  {
    id: 'agent-socket/event-acknowledged',
    group: 'decisions',
    section: 'decision 18',
    title: 'An event with an id is acknowledged, each time, and counts once',
    async run(ctx) {
      const { agent, printTs, printId } = await ctx.startPrint()
      const id = randomUUID()
      for (let time = 1; time <= 3; time += 1) {
        agent.send(ctx.message('Paused', { printTs, event: { event_type: 'PrintPaused', id } }))
        await agent.takeEventAck(id)
      }
      const paused = (await eventsOf(ctx, printId)).filter(({ event_type }) => event_type === 'PAUSED')
      expectEqual(paused.length, 1, 'the number of PAUSED events in the history')
    },
  },
  {
    id: 'agent-socket/event-over-connections',
    group: 'decisions',
    section: 'decision 18',
    title: 'An event that is sent again over another connection is acknowledged and counts once',
    async run(ctx) {
      const { printer, agent, printTs, printId } = await ctx.startPrint()
      const event = { event_type: 'PrintPaused', id: randomUUID(), age_ms: 0 } as const
      agent.send(ctx.message('Paused', { printTs, event }))
      await agent.takeEventAck(event.id)
      await agent.close()
      const again = await ctx.openAgent(printer.auth_token)
      again.send(ctx.message('Paused', { printTs, event: { ...event, age_ms: 5000 } }))
      await again.takeEventAck(event.id)
      const paused = (await eventsOf(ctx, printId)).filter(({ event_type }) => event_type === 'PAUSED')
      expectEqual(paused.length, 1, 'the number of PAUSED events in the history')
    },
  },
  {
    id: 'agent-socket/seq',
    group: 'decisions',
    section: 'decision 18',
    title: 'A message may carry a rising seq, which begins anew with each connection',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      for (let connection = 0; connection < 2; connection += 1) {
        const agent = await ctx.openAgent(printer.auth_token)
        for (const seq of [1, 2, 5]) {
          const message = { ...ctx.message('Operational'), seq }
          agent.send(message)
          await ctx.shown(printer, message)
        }
        expectEqual(agent.errors(), [], 'the errors')
        await agent.close()
      }
    },
  },
  {
    id: 'agent-socket/paused-by-hand',
    group: 'decisions',
    section: 'decision 20',
    title: 'paused_at is the first automatic pause: one by hand does not set it',
    async run(ctx) {
      const printing = await ctx.startPrint()
      await ctx.report(printing, 'Paused', 'PrintPaused')
      const { paused_at } = await ctx.printWhen(printing.printId, 'the print is there', () => true)
      expectEqual(paused_at, null, 'paused_at')
    },
  },
  {
    id: 'agent-socket/settings',
    group: 'contract',
    section: 'api.md §6',
    title: 'The settings of a message are shown with the printer, and stay when a message has none',
    async run(ctx) {
      const { printer, agent } = await ctx.connect()
      const name = `agent ${ctx.now()}`
      const webcams = [{ name: 'bed', stream_id: 7, is_primary_camera: true, flipV: true, rotation: 90 }]
      agent.send(ctx.message('Operational', { settings: { agent: { name, version: '1.2.3' }, webcams } }))
      const message = ctx.message('Operational')
      agent.send(message)
      await ctx.shown(printer, message)
      const shown = await ctx.printerWhen(printer, 'the settings are shown', ({ settings }) =>
        JSON.stringify(settings).includes(name),
      )
      const settings = z.looseObject({ webcams: z.array(z.looseObject({})) }).parse(shown.settings)
      expectEqual(settings.webcams, webcams, 'webcams')
    },
  },
  {
    id: 'agent-socket/settings-merged',
    group: 'decisions',
    section: 'decision 7',
    title: 'Settings are merged key by key',
    async run(ctx) {
      const { printer, agent } = await ctx.connect()
      const of = { agent: { name: 'merging', version: '1' } }
      agent.send(ctx.message('Operational', { settings: { ...of, temperature: { profiles: [{ name: 'PLA' }] } } }))
      agent.send(ctx.message('Operational', { settings: { ...of, webcams: [{ name: 'nozzle', stream_id: 1 }] } }))
      await ctx.printerWhen(printer, 'both settings are shown', ({ settings }) => {
        const text = JSON.stringify(settings)
        return text.includes('"PLA"') && text.includes('"nozzle"')
      })
    },
  },
  {
    ...TALKING,
    id: 'agent-socket/unknown-ack',
    title: 'The acknowledgement of an unknown command does no harm',
    async run(ctx) {
      const { printer, agent } = await ctx.connect()
      agent.acknowledge(randomUUID(), { result: { ok: true } })
      const message = ctx.message('Operational')
      agent.send(message)
      await ctx.shown(printer, message)
      expectTrue(agent.errors().length === 0, 'an error was answered')
    },
  },
]
