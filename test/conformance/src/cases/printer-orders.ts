import { ActionResult, type AgentCommand, Command, Print, PrinterEvent } from '#protocol'
import type { Context } from '../context.js'
import { expectBody, expectEqual } from '../expect.js'
import type { Case } from '../run.js'

const OURS = { group: 'decisions', section: 'decision 8' } as const

/** Orders that need no print, with the command that the agent gets. */
const ORDERS = [
  { action: 'connect', cmd: 'connect', body: undefined, args: {} },
  { action: 'emergency_stop', cmd: 'emergency_stop', body: undefined, args: {} },
  { action: 'restart_firmware', cmd: 'restart_firmware', body: undefined, args: {} },
  { action: 'list_files', cmd: 'list_files', body: undefined, args: {} },
  {
    action: 'answer_prompt',
    cmd: 'answer_prompt',
    body: { prompt_id: 'q1', choice: 1 },
    args: { prompt_id: 'q1', choice: 1 },
  },
  {
    action: 'print_file',
    cmd: 'print_file',
    body: { path: 'parts/cube.gcode' },
    args: { path: 'parts/cube.gcode', origin: 'local' },
  },
] as const satisfies { action: string; cmd: AgentCommand['cmd']; body: unknown; args: object }[]

const pathOf = ({ id }: { id: number }, action: string): string => `/api/v1/printers/${id}/${action}/`

async function order(ctx: Context, printer: { id: number }, action: string, body?: object): Promise<ActionResult> {
  return expectBody(await ctx.owner.post(pathOf(printer, action), body), ActionResult)
}

const isSent = ({ action, cmd, body, args }: (typeof ORDERS)[number]): Case => ({
  ...OURS,
  id: `printer-orders/${cmd.replaceAll('_', '-')}`,
  title: `${action} reaches the agent of a printer that prints nothing, as ${cmd}`,
  async run(ctx) {
    const { printer, agent } = await ctx.connect()
    const message = ctx.message('Operational')
    agent.send(message)
    await ctx.shown(printer, message)
    const { succeeded, command_id } = await order(ctx, printer, action, body)
    expectEqual(succeeded, true, 'succeeded')
    const command = await agent.takeCommand(cmd)
    expectEqual(command.id, command_id, "the agent's command id")
    for (const [name, value] of Object.entries(args)) expectEqual(command.args[name], value, name)
  },
})

/** Lets a picture alone tell of the printer. */
async function watchedByPicture(ctx: Context): Promise<Awaited<ReturnType<Context['connect']>>> {
  const connected = await ctx.connect()
  const message = ctx.message('Operational')
  const watched = { ...message, status: { ...message.status, watched_by: 'picture' as const } }
  connected.agent.send(watched)
  await ctx.shown(connected.printer, watched)
  return connected
}

export const printerOrdersCases: readonly Case[] = [
  ...ORDERS.map(isSent),
  {
    ...OURS,
    id: 'printer-orders/exclude-object',
    title: 'exclude_object reaches the agent while printing, and is succeeded false while idle',
    async run(ctx) {
      const idle = await ctx.connect()
      const message = ctx.message('Operational')
      idle.agent.send(message)
      await ctx.shown(idle.printer, message)
      expectEqual((await order(ctx, idle.printer, 'exclude_object', { name: 'CUBE' })).succeeded, false, 'while idle')
      const { printer, agent } = await ctx.startPrint()
      expectEqual((await order(ctx, printer, 'exclude_object', { name: 'CUBE' })).succeeded, true, 'while printing')
      expectEqual((await agent.takeCommand('exclude_object')).args['name'], 'CUBE', 'the name of the object')
    },
  },
  {
    ...OURS,
    id: 'printer-orders/print-file-busy',
    title: 'print_file while printing is succeeded false',
    async run(ctx) {
      const { printer } = await ctx.startPrint()
      expectEqual((await order(ctx, printer, 'print_file', { path: 'cube.gcode' })).succeeded, false, 'succeeded')
    },
  },
  {
    ...OURS,
    id: 'printer-orders/files',
    title: 'The list of files that the agent answers is the result of the command',
    async run(ctx) {
      const { printer, agent } = await ctx.connect()
      const message = ctx.message('Operational')
      agent.send(message)
      await ctx.shown(printer, message)
      const { command_id } = await order(ctx, printer, 'list_files')
      const { id } = await agent.takeCommand('list_files')
      const result = {
        files: [{ path: 'cube.gcode', origin: 'local', size: 12, date: 1_700_000_000 }],
        is_cut: false,
      } as const
      agent.acknowledge(id, { result })
      const path = `/api/v1/printers/${printer.id}/commands/${command_id}/`
      const done = await ctx.until(
        'the command is done',
        ({ status }) => status === 'done',
        async () => expectBody(await ctx.owner.get(path), Command),
      )
      expectEqual(done.result, result, 'the result')
    },
  },
  {
    ...OURS,
    id: 'printer-orders/who',
    title: 'An emergency stop is in the history, with who ordered it',
    async run(ctx) {
      const { printer } = await ctx.startPrint()
      await order(ctx, printer, 'emergency_stop')
      const path = `/api/v1/printer_events/?printer_id=${printer.id}`
      const [event] = await ctx.until(
        'the event',
        (events) => events.length > 0,
        async () =>
          expectBody(await ctx.owner.get(path), PrinterEvent.array()).filter(
            ({ event_type }) => event_type === 'COMMAND_GIVEN',
          ),
      )
      expectEqual(event?.initiator, 'app', 'the initiator')
    },
  },
  {
    ...OURS,
    id: 'printer-orders/start-watching',
    title: 'start_print of a printer that is watched by picture reaches its agent as start_watching, with the name',
    async run(ctx) {
      const { printer, agent } = await watchedByPicture(ctx)
      const { succeeded } = await order(ctx, printer, 'start_print', { filename: 'a vase' })
      expectEqual(succeeded, true, 'succeeded')
      expectEqual((await agent.takeCommand('start_watching')).args['name'], 'a vase', 'the name')
    },
  },
  {
    ...OURS,
    id: 'printer-orders/stop-watching',
    title:
      'finish_print of a printer that is watched by picture reaches its agent as stop_watching, and who did it is told',
    async run(ctx) {
      const printing = await ctx.startPrint()
      const { printer, agent, printTs, printId } = printing
      const message = ctx.message('Printing', { printTs })
      const watched = { ...message, status: { ...message.status, watched_by: 'picture' as const } }
      agent.send(watched)
      await ctx.shown(printer, watched)
      const { succeeded } = await order(ctx, printer, 'finish_print', { status: 'cancelled' })
      expectEqual(succeeded, true, 'succeeded')
      const { id, args } = await agent.takeCommand('stop_watching')
      expectEqual(args['outcome'], 'cancelled', 'the outcome')
      agent.acknowledge(id, { result: null })
      await ctx.report(printing, 'Operational', 'PrintCancelled')
      await ctx.printWhen(printId, 'it is cancelled', ({ cancelled_at }) => cancelled_at !== null)
      const { last_action } = expectBody(await ctx.owner.get(`/api/v1/prints/${printId}/`), Print)
      expectEqual(last_action?.by, 'app', 'who cancelled it')
    },
  },
]
