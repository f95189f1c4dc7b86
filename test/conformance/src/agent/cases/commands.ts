import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectEqual, expectTrue } from '../../expect.js'
import type { AgentCase, AgentContext } from '../context.js'
import type { AgentConnection } from '../connection.js'

const COMMANDS = { group: 'decisions', section: 'decision 16' } as const
const PRINTING = { group: 'decisions', section: 'decision 15' } as const

/** A command that lives as long as this is over after a few times of it. */
const SHORT_LIFE_MS = 20

/** Waits until the agent has dealt with what was sent before: commands are carried out one after another. */
async function settled(ctx: AgentContext, connection: AgentConnection): Promise<void> {
  await ctx.ack(connection, ctx.send(connection, 'snapshot'))
}

const eventsOf = ({ messages }: AgentConnection, from: number, type: string): number =>
  new Set(
    messages
      .slice(from)
      .filter(({ event }) => event?.event_type === type)
      .map(({ event }) => event?.id),
  ).size

export const agentCommandCases: readonly AgentCase[] = [
  {
    ...COMMANDS,
    id: 'agent-commands/acknowledged',
    title: 'A command that the host took is acknowledged with its id and a result',
    async run(ctx) {
      const connection = await ctx.printing()
      const from = connection.messages.length
      for (const [cmd, event] of [
        ['pause', 'PrintPaused'],
        ['resume', 'PrintResumed'],
      ] as const) {
        const ack = await ctx.order(connection, cmd)
        expectTrue('result' in ack, `the answer to ${cmd} has no result`)
        await ctx.event(connection, event, from)
      }
    },
  },
  {
    ...COMMANDS,
    id: 'agent-commands/refused',
    title: 'A command that cannot be carried out is answered with an error that has a code and a detail',
    async run(ctx) {
      const connection = await ctx.idle()
      const { error } = await ctx.ack(connection, ctx.send(connection, 'resume'))
      expectTrue(error !== undefined, 'the answer has no error')
      expectTrue(error.code !== '' && error.detail !== '', 'code or detail is empty')
    },
  },
  {
    ...COMMANDS,
    id: 'agent-commands/unknown',
    title: 'A command that the agent does not know is answered with an error, or not at all; the connection stays',
    async run(ctx) {
      const connection = await ctx.connected()
      const id = ctx.send(connection, 'dance')
      await settled(ctx, connection)
      const ack = connection.acks.find((one) => one.id === id)
      expectTrue(ack === undefined || ack.error !== undefined, 'it was acknowledged with a result')
      expectTrue(connection.isOpen, 'the connection was closed')
    },
  },
  {
    ...COMMANDS,
    id: 'agent-commands/unknown-fields',
    title: 'Unknown fields of a command and of its args are ignored',
    async run(ctx) {
      const connection = await ctx.connected()
      const id = ctx.send(connection, 'snapshot', { colour: 'blue' }, { priority: 7 })
      expectEqual((await ctx.ack(connection, id)).error, undefined, 'the error')
    },
  },
  {
    ...COMMANDS,
    id: 'agent-commands/several',
    title: 'Each command of a frame with several is answered',
    async run(ctx) {
      const connection = await ctx.connected()
      const ids = [randomUUID(), randomUUID()]
      const of = (id: string): object => ({ id, cmd: 'snapshot', args: {}, initiator: 'api', expires_in_ms: 60_000 })
      connection.send({ commands: ids.map(of) })
      for (const id of ids) await ctx.ack(connection, id)
    },
  },
  {
    ...COMMANDS,
    id: 'agent-commands/once',
    title: 'A command that comes twice is carried out once',
    async run(ctx) {
      const connection = await ctx.idle()
      const before = ctx.server.downloads
      const from = connection.messages.length
      const id = randomUUID()
      const args = ctx.server.offer(ctx.newFile())
      const command = { id, cmd: 'print', args, initiator: 'api', expires_in_ms: 60_000 }
      connection.send({ commands: [command] })
      connection.send({ commands: [command] })
      expectEqual((await ctx.ack(connection, id)).error, undefined, 'the error')
      await ctx.event(connection, 'PrintStarted', from)
      connection.send({ commands: [command] })
      await settled(ctx, connection)
      expectEqual(ctx.server.downloads - before, 1, 'how often the file was fetched')
      expectEqual(eventsOf(connection, from, 'PrintStarted'), 1, 'how often a print was started')
    },
  },
  {
    ...COMMANDS,
    id: 'agent-commands/expired',
    title: 'A command whose time is over before its turn comes is not carried out, and answered with an error',
    async run(ctx) {
      const connection = await ctx.idle()
      const from = connection.messages.length
      const release = ctx.server.holdFiles()
      const print = ctx.send(connection, 'print', ctx.server.offer(ctx.newFile()))
      const late = ctx.send(connection, 'cancel', {}, { expires_in_ms: SHORT_LIFE_MS })
      // Its time must really pass; what is waited for is the time itself.
      await sleep(10 * SHORT_LIFE_MS)
      release()
      expectEqual((await ctx.ack(connection, print)).error, undefined, 'the error of the command before it')
      const { error } = await ctx.ack(connection, late)
      expectTrue(error !== undefined, 'the late command was acknowledged with a result')
      await ctx.state(connection, 'Printing')
      expectEqual(eventsOf(connection, from, 'PrintCancelled'), 0, 'how often the print was cancelled')
    },
  },
  {
    ...PRINTING,
    id: 'agent-commands/downloading',
    title: 'While a file is fetched the state is G-Code Downloading',
    async run(ctx) {
      const connection = await ctx.idle()
      const release = ctx.server.holdFiles()
      const print = ctx.send(connection, 'print', ctx.server.offer(ctx.newFile()))
      await ctx.state(connection, 'G-Code Downloading')
      release()
      expectEqual((await ctx.ack(connection, print)).error, undefined, 'the error')
    },
  },
  {
    ...PRINTING,
    id: 'agent-commands/stored-file',
    title: 'A print of a stored file is told with the id of that file',
    async run(ctx) {
      const connection = await ctx.idle()
      const file = ctx.newFile()
      const { current_print_ts } = await ctx.startPrint(connection, file)
      const named = await ctx.message(
        connection,
        `service_g_code_file_id ${file.id}`,
        ({ status }) => status.job?.file.service_g_code_file_id === file.id,
      )
      expectTrue(named.current_print_ts <= current_print_ts, 'the id was told for another print')
    },
  },
  {
    ...PRINTING,
    id: 'agent-commands/damaged-file',
    title: 'A file with another hash than announced is not printed',
    async run(ctx) {
      const connection = await ctx.idle()
      const from = connection.messages.length
      const args = { ...ctx.server.offer(ctx.newFile()), sha256: '0'.repeat(64) }
      const { error } = await ctx.ack(connection, ctx.send(connection, 'print', args))
      expectTrue(error !== undefined, 'the command was acknowledged with a result')
      await settled(ctx, connection)
      expectEqual(eventsOf(connection, from, 'PrintStarted'), 0, 'how often a print was started')
    },
  },
  {
    ...PRINTING,
    id: 'agent-commands/missing-file',
    title: 'A file that cannot be fetched is an error, and the printer stays idle',
    async run(ctx) {
      const connection = await ctx.idle()
      const args = { ...ctx.server.offer(ctx.newFile()), url: `${ctx.server.url}/conformance/file/0` }
      const { error } = await ctx.ack(connection, ctx.send(connection, 'print', args))
      expectTrue(error !== undefined, 'the command was acknowledged with a result')
      await ctx.idle()
    },
  },
]
