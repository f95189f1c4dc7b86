import { AgentSettings, NO_PRINT, StatusMessage } from '#protocol'
import { expectEqual, expectTrue, show } from '../../expect.js'
import type { AgentConnection } from '../connection.js'
import type { AgentCase, AgentContext } from '../context.js'

const MESSAGE = { group: 'contract', section: 'api.md §6' } as const

const REQUIRED_FLAGS = ['operational', 'printing', 'cancelling', 'pausing', 'resuming', 'finishing', 'paused'] as const

/** A fresh connection: what an agent says first it says here. */
async function fresh(ctx: AgentContext): Promise<AgentConnection> {
  return ctx.reconnect(await ctx.connected())
}

/** Frames that the agent must ignore: nothing in them is for it, or not of its version. */
const STRANGE_FRAMES = [
  { something_new: { a: [1, 2, 3] } },
  { remote_status: { viewing: false, mood: 'calm' }, more: true },
  { ack: { events: ['00000000-0000-4000-8000-000000000000'], at: 1 } },
  { error: { code: 'strange', detail: 'Nothing is wrong.', hint: 'go on' } },
  {},
]

/** It still carries out commands, over the same connection. */
async function expectAlive(ctx: AgentContext, connection: AgentConnection): Promise<void> {
  await ctx.ack(connection, ctx.send(connection, 'snapshot'))
  expectTrue(connection.isOpen, `the connection was closed with ${connection.closedWith}`)
}

export const agentMessageCases: readonly AgentCase[] = [
  {
    ...MESSAGE,
    id: 'agent-messages/first',
    title: 'A new connection begins with a status message that has current_print_ts and status',
    async run(ctx) {
      const connection = await fresh(ctx)
      const message = await ctx.message(connection, 'the first status message', () => true)
      expectEqual(StatusMessage.safeParse(message).error, undefined, 'what is wrong with it')
    },
  },
  {
    ...MESSAGE,
    id: 'agent-messages/settings',
    title: 'The settings name the agent and its version, and are told on a new connection',
    async run(ctx) {
      const connection = await fresh(ctx)
      const { settings } = await ctx.message(connection, 'the settings', (message) => message.settings !== undefined)
      const { agent } = AgentSettings.parse(settings)
      expectTrue(agent.name !== '' && agent.version !== '', `the agent is ${show(agent)}`)
    },
  },
  {
    ...MESSAGE,
    id: 'agent-messages/webcams',
    title: 'Each camera has a name and a stream_id of its own, and at most one is primary',
    async run(ctx) {
      const connection = await fresh(ctx)
      const { settings } = await ctx.message(connection, 'the settings', (message) => message.settings !== undefined)
      const { webcams = [] } = AgentSettings.parse(settings)
      const ids = new Set(webcams.map(({ stream_id }) => stream_id))
      expectEqual(ids.size, webcams.length, 'the number of different stream_ids')
      const primary = webcams.filter(({ is_primary_camera }) => is_primary_camera === true)
      expectTrue(primary.length <= 1, `${primary.length} cameras are primary`)
    },
  },
  {
    ...MESSAGE,
    id: 'agent-messages/flags',
    title: 'Every status has the seven required flags as booleans',
    async run(ctx) {
      const connection = await ctx.connected()
      await ctx.message(connection, 'a status message', () => true)
      for (const { status } of ctx.server.connections.flatMap(({ messages }) => messages)) {
        const wrong = REQUIRED_FLAGS.filter((flag) => typeof status.state.flags[flag] !== 'boolean')
        expectEqual(wrong, [], `the flags that are missing in the state ${status.state.text}`)
      }
    },
  },
  {
    id: 'agent-messages/idle',
    group: 'decisions',
    section: 'decision 17',
    title: 'A printer that prints nothing is told with current_print_ts −1',
    async run(ctx) {
      const connection = await ctx.idle()
      expectEqual(connection.messages.at(-1)?.current_print_ts, NO_PRINT, 'current_print_ts')
    },
  },
  {
    id: 'agent-messages/unknown-fields',
    group: 'decisions',
    section: 'decision 16',
    title: 'Frames and fields that the agent does not know are ignored; the connection stays',
    async run(ctx) {
      const connection = await ctx.connected()
      for (const frame of STRANGE_FRAMES) connection.send(frame)
      await expectAlive(ctx, connection)
    },
  },
]

/** At the end of a run, over all that was received. */
export const agentAllMessagesCases: readonly AgentCase[] = [
  {
    ...MESSAGE,
    id: 'agent-all-messages/valid',
    title: 'Every frame of the run was a valid message or an acknowledgement',
    async run(ctx) {
      await ctx.connected()
      const misfits = ctx.server.connections.flatMap((connection) => connection.misfits)
      expectEqual(misfits, [], 'what was not valid')
    },
  },
  {
    ...MESSAGE,
    id: 'agent-all-messages/ts-rises',
    title: '_ts is when the status was collected: it never goes back, but for events that are told again',
    async run(ctx) {
      await ctx.connected()
      for (const { messages } of ctx.server.connections) {
        const times = messages.filter(({ event }) => event === undefined).map(({ status }) => status._ts)
        const back = times.findIndex((ts, index) => index > 0 && ts < (times[index - 1] ?? 0))
        expectEqual(back, -1, 'the number of the message that went back')
      }
    },
  },
  {
    id: 'agent-all-messages/seq',
    group: 'decisions',
    section: 'decision 18',
    title: 'seq rose over every connection of the run',
    async run(ctx) {
      await ctx.connected()
      for (const { messages } of ctx.server.connections) {
        const seqs = messages.flatMap(({ seq }) => seq ?? [])
        expectTrue(
          seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0)),
          `the numbers are ${show(seqs)}`,
        )
      }
    },
  },
]
