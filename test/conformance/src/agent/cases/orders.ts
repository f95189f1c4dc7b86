import { AgentSettings, PrinterFiles } from '#protocol'
import { expectEqual, expectTrue } from '../../expect.js'
import type { AgentConnection } from '../connection.js'
import type { AgentCase, AgentContext } from '../context.js'

const ORDERS = { group: 'decisions', section: 'decision 15' } as const

/** The commands that the agent says it can carry out. */
async function told(ctx: AgentContext, connection: AgentConnection): Promise<readonly string[]> {
  const { settings } = await ctx.message(connection, 'the settings', (message) => message.settings !== undefined)
  const { commands } = AgentSettings.parse(settings)
  expectTrue(commands !== undefined, 'the settings do not say which commands can be carried out')
  return commands
}

/** Commands with arguments that fit the schema, of which nothing comes where nothing can. */
const ALL = [
  { cmd: 'connect', args: {} },
  { cmd: 'restart_firmware', args: {} },
  { cmd: 'exclude_object', args: { name: 'CUBE' } },
  { cmd: 'answer_prompt', args: { prompt_id: 'q', choice: 0 } },
  { cmd: 'list_files', args: {} },
  { cmd: 'print_file', args: { path: 'no-such-file.gcode' } },
  { cmd: 'start_watching', args: { name: 'a vase' } },
  { cmd: 'stop_watching', args: { outcome: 'done' } },
] as const

export const agentOrderCases: readonly AgentCase[] = [
  {
    ...ORDERS,
    id: 'agent-orders/unsupported',
    title: 'A command that is not among those that the agent says it can carry out is refused',
    async run(ctx) {
      const connection = await ctx.restarted()
      const can = await told(ctx, connection)
      for (const { cmd, args } of ALL.filter((one) => !can.includes(one.cmd))) {
        const { error } = await ctx.ack(connection, ctx.send(connection, cmd, args))
        expectTrue(error !== undefined && error.code !== '', `${cmd} was acknowledged with a result`)
      }
    },
  },
  {
    ...ORDERS,
    id: 'agent-orders/files',
    title: 'The answer to list_files is the list; a file that leaves its folder, or that is not there, is not printed',
    async run(ctx) {
      const connection = await ctx.restarted()
      if (!(await told(ctx, connection)).includes('list_files')) return
      await ctx.idle()
      PrinterFiles.parse((await ctx.order(connection, 'list_files')).result)
      for (const path of ['../no-such-file.gcode', 'a\nM112', 'no-such-file-anywhere.gcode']) {
        const { error } = await ctx.ack(connection, ctx.send(connection, 'print_file', { path }))
        expectTrue(error !== undefined, `${JSON.stringify(path)} was printed`)
      }
    },
  },
  {
    ...ORDERS,
    id: 'agent-orders/emergency-stop',
    title:
      'An emergency stop overtakes the commands that wait, and none of those is carried out after it; connect brings the printer back',
    async run(ctx) {
      const connection = await ctx.restarted()
      const can = await told(ctx, connection)
      if (!can.includes('emergency_stop') || !can.includes('connect')) return
      await ctx.idle()
      const release = ctx.server.holdFiles()
      const print = ctx.send(connection, 'print', ctx.server.offer(ctx.newFile()))
      const waiting = ctx.send(connection, 'snapshot')
      const stop = ctx.send(connection, 'emergency_stop')
      expectEqual((await ctx.ack(connection, stop)).error, undefined, 'the error of the emergency stop')
      expectTrue((await ctx.ack(connection, print)).error !== undefined, 'the print was begun all the same')
      expectTrue((await ctx.ack(connection, waiting)).error !== undefined, 'the snapshot was taken all the same')
      release()
      await ctx.state(connection, 'Offline')
      await ctx.order(connection, 'connect')
      await ctx.state(connection, 'Operational')
    },
  },
]
