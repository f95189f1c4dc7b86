import { NO_PRINT, type PrintEventType, type StateText, type StatusMessage } from '#protocol'
import { expectEqual, expectTrue } from '../../expect.js'
import type { AgentConnection } from '../connection.js'
import type { AgentCase } from '../context.js'

const TRANSITIONS = { group: 'contract', section: 'api.md §3' } as const
const MESSAGE = { group: 'contract', section: 'api.md §6' } as const

/** A print may take as long as it takes. */
const WHOLE_PRINT_MS = 15 * 60_000

/** A row of the table of transitions: what the message with the event must say. */
function expectRow(
  { event, status }: StatusMessage,
  text: StateText,
  flags: { printing: boolean; paused: boolean },
): void {
  expectEqual(status.state.text, text, `the state in the message with ${event?.event_type}`)
  const { operational, printing, paused, cancelling, pausing, resuming, finishing } = status.state.flags
  expectEqual({ operational, printing, paused }, { operational: true, ...flags }, 'the flags')
  expectEqual([cancelling, pausing, resuming, finishing], [false, false, false, false], 'the flags in between')
}

/** The `current_print_ts` of all messages of the connection since the one with number `from`. */
function printsSince({ messages }: AgentConnection, from: number): number[] {
  return [...new Set(messages.slice(from).map(({ current_print_ts }) => current_print_ts))]
}

export const agentPrintCases: readonly AgentCase[] = [
  {
    ...TRANSITIONS,
    id: 'agent-prints/started',
    title: 'The start of a print is told with PrintStarted, in the state Printing',
    async run(ctx) {
      const message = await ctx.startPrint(await ctx.idle())
      expectTrue(message.current_print_ts > 0, `current_print_ts is ${message.current_print_ts}`)
      expectRow(message, 'Printing', { printing: true, paused: false })
      expectTrue(message.status.state.flags['ready'] !== true, 'ready is true')
    },
  },
  {
    ...MESSAGE,
    id: 'agent-prints/job',
    title: 'While printing, status.job.file names the file with name, path and display',
    async run(ctx) {
      const connection = await ctx.idle()
      const file = ctx.newFile()
      await ctx.startPrint(connection, file)
      const { status } = await ctx.message(connection, 'a job', (message) => message.status.job !== undefined)
      const { name = '', path = '', display = '' } = status.job?.file ?? {}
      expectTrue(
        [name, path, display].every((text) => text !== ''),
        'one of them is empty',
      )
    },
  },
  {
    ...TRANSITIONS,
    id: 'agent-prints/paused',
    title: 'A pause is told with PrintPaused, in the state Paused',
    async run(ctx) {
      const connection = await ctx.printing()
      const from = connection.messages.length
      await ctx.order(connection, 'pause')
      expectRow(await ctx.event(connection, 'PrintPaused', from), 'Paused', { printing: false, paused: true })
      await ctx.order(connection, 'resume')
      await ctx.event(connection, 'PrintResumed', from)
    },
  },
  {
    ...MESSAGE,
    id: 'agent-prints/resumed',
    title: 'A resume is told with PrintResumed, and the printer prints again',
    async run(ctx) {
      const connection = await ctx.printing()
      const from = connection.messages.length
      await ctx.order(connection, 'pause')
      await ctx.event(connection, 'PrintPaused', from)
      await ctx.order(connection, 'resume')
      await ctx.event(connection, 'PrintResumed', from)
      await ctx.state(connection, 'Printing')
    },
  },
  {
    ...MESSAGE,
    id: 'agent-prints/same-ts',
    title: 'current_print_ts is the same in every message of a print: over pause, resume and a new connection',
    async run(ctx) {
      const connection = await ctx.idle()
      const { current_print_ts } = await ctx.startPrint(connection)
      const from = connection.messages.findIndex((message) => message.current_print_ts === current_print_ts)
      await ctx.order(connection, 'pause')
      await ctx.event(connection, 'PrintPaused', from)
      await ctx.order(connection, 'resume')
      await ctx.event(connection, 'PrintResumed', from)
      expectEqual(printsSince(connection, from), [current_print_ts], 'the values on the first connection')
      const again = await ctx.reconnect(connection)
      await ctx.message(again, 'a status message', () => true)
      expectEqual(printsSince(again, 0), [current_print_ts], 'the values on the second connection')
    },
  },
  {
    ...TRANSITIONS,
    id: 'agent-prints/cancelled',
    title: 'A cancelled print is told with PrintCancelled, in the state Operational, and is over then',
    async run(ctx) {
      const connection = await ctx.printing()
      const from = connection.messages.length
      await ctx.order(connection, 'cancel')
      expectRow(await ctx.event(connection, 'PrintCancelled', from), 'Operational', { printing: false, paused: false })
      await ctx.message(
        connection,
        'current_print_ts −1',
        ({ current_print_ts }) => current_print_ts === NO_PRINT,
        from,
      )
      const types = connection.messages.slice(from).flatMap(({ event }) => event?.event_type ?? [])
      expectTrue(!types.includes('PrintDone'), 'PrintDone was told too')
    },
  },
  {
    ...MESSAGE,
    id: 'agent-prints/another-ts',
    title: 'Another print has another current_print_ts',
    async run(ctx) {
      const connection = await ctx.idle()
      const first = await ctx.startPrint(connection)
      await ctx.idle()
      const second = await ctx.startPrint(connection)
      expectTrue(first.current_print_ts !== second.current_print_ts, 'both have the same')
    },
  },
  {
    ...TRANSITIONS,
    id: 'agent-prints/done',
    title: 'A print that comes to its end is told with PrintDone, once, in the state Operational',
    timeoutMs: WHOLE_PRINT_MS,
    async run(ctx) {
      const connection = await ctx.printing()
      const from = connection.messages.length
      expectRow(await ctx.event(connection, 'PrintDone', from), 'Operational', { printing: false, paused: false })
      await ctx.message(
        connection,
        'current_print_ts −1',
        ({ current_print_ts }) => current_print_ts === NO_PRINT,
        from,
      )
      const ends: (PrintEventType | undefined)[] = ['PrintDone', 'PrintCancelled', 'PrintFailed']
      const ended = connection.messages.slice(from).filter(({ event }) => ends.includes(event?.event_type))
      expectEqual(new Set(ended.map(({ event }) => event?.id ?? 'without')).size, 1, 'the number of ends')
    },
  },
]
