import { setTimeout as sleep } from 'node:timers/promises'
import { AgentSettings, PrinterFiles } from '#protocol'
import { expectEqual, expectTrue } from '../../expect.js'
import type { AgentConnection } from '../connection.js'
import type { AgentCase, AgentContext } from '../context.js'

const ORDERS = { group: 'decisions', section: 'decision 15' } as const
const COMMANDS = { group: 'decisions', section: 'decision 16' } as const

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

/** There is no such question, and no such file. */
const ABOUT_NOTHING = new Set<string>(['answer_prompt', 'print_file'])

/** How long a command may be carried out; who gave it hears by then that it was, or why not. */
const DEADLINE_MS = 10_000

/** A command that lives as long as this is over after a few times of it. */
const SHORT_LIFE_MS = 20

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
  {
    ...ORDERS,
    id: 'agent-orders/answered',
    title: 'Each order is carried out or refused before its time is over; one about what is not there is refused',
    async run(ctx) {
      const connection = await ctx.restarted()
      const can = await told(ctx, connection)
      for (const { cmd, args } of [{ cmd: 'emergency_stop', args: {} }, ...ALL]) {
        const sentAt = performance.now()
        const ack = await ctx.ack(connection, ctx.send(connection, cmd, args, { expires_in_ms: DEADLINE_MS }))
        const tookMs = Math.round(performance.now() - sentAt)
        expectTrue(tookMs < DEADLINE_MS, `${cmd} was answered after ${tookMs} ms, of ${DEADLINE_MS}`)
        expectTrue('result' in ack || ack.error !== undefined, `the answer to ${cmd} has neither result nor error`)
        if (ABOUT_NOTHING.has(cmd)) expectTrue(ack.error !== undefined, `${cmd} was carried out on what is not there`)
      }
      // The stop, which comes first, may have left the host without its printer.
      if (can.includes('connect')) await ctx.ack(connection, ctx.send(connection, 'connect'))
    },
  },
  {
    ...COMMANDS,
    id: 'agent-orders/late',
    title: 'An order whose time is over before its turn comes is refused, and nothing comes of it',
    async run(ctx) {
      const connection = await ctx.restarted()
      await ctx.idle()
      const from = connection.messages.length
      const release = ctx.server.holdFiles()
      const print = ctx.send(connection, 'print', ctx.server.offer(ctx.newFile()))
      // An emergency stop waits for no turn, so it is not among them.
      const late = ALL.map(({ cmd, args }) => ({
        cmd,
        id: ctx.send(connection, cmd, args, { expires_in_ms: SHORT_LIFE_MS }),
      }))
      // Their time must really pass; what is waited for is the time itself.
      await sleep(10 * SHORT_LIFE_MS)
      release()
      expectEqual((await ctx.ack(connection, print)).error, undefined, 'the error of the print before them')
      for (const { cmd, id } of late) {
        expectTrue((await ctx.ack(connection, id)).error !== undefined, `the late ${cmd} was carried out`)
      }
      await ctx.state(connection, 'Printing')
      const ended = connection.messages
        .slice(from)
        .some(({ event }) => /Cancelled|Failed/.test(event?.event_type ?? ''))
      expectTrue(!ended, 'the print before them has ended')
    },
  },
]
