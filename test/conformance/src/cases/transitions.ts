import { type PrintEventType, type StateText, Timestamp } from '#protocol'
import type { Case } from '../run.js'
import type { Context } from '../context.js'
import { expectEqual, expectTrue } from '../expect.js'
import type { ContractPrint } from '../shapes.js'

const CONTRACT = { group: 'contract', section: 'api.md §3' } as const
const EVENTS = { group: 'contract', section: 'api.md §6' } as const

/** Clocks of the two sides may differ a little, and the message takes a moment. */
const TOLERANCE_MS = 5000

/** The rows of the transition table that start from a running print. */
const FROM_PRINTING = [
  { event: 'PrintPaused', text: 'Paused', sets: undefined },
  { event: 'PrintCancelled', text: 'Operational', sets: 'cancelled_at' },
  { event: 'PrintDone', text: 'Operational', sets: 'finished_at' },
] as const satisfies { event: PrintEventType; text: StateText; sets: keyof ContractPrint | undefined }[]

const END_FIELDS = ['finished_at', 'cancelled_at'] as const

const fromPrinting = ({ event, text, sets }: (typeof FROM_PRINTING)[number]): Case => ({
  ...CONTRACT,
  id: `transitions/${event}`,
  title: `${event} brings a printing printer to ${text}${sets === undefined ? '' : ` and sets ${sets}`}`,
  async run(ctx) {
    const printing = await ctx.startPrint()
    const message = ctx.message(text, { printTs: printing.printTs, event: { event_type: event } })
    printing.agent.send(message)
    const printer = await ctx.shown(printing.printer, message)
    expectEqual(printer.status?.['state'], message.status.state, 'the state')
    const print = await ctx.printWhen(printing.printId, `${sets ?? 'nothing'} is set`, (it) =>
      END_FIELDS.every((field) => (it[field] !== null) === (field === sets)),
    )
    if (sets !== undefined) expectRecent(print[sets], sets)
    const isOpen = sets === undefined
    await ctx.printerWhen(printing.printer, isOpen ? 'current_print stays' : 'current_print is null', (it) =>
      isOpen ? it.current_print?.id === printing.printId : it.current_print === null,
    )
  },
})

function expectRecent(value: unknown, what: string): void {
  const ageMs = Date.now() - Date.parse(Timestamp.parse(value))
  expectTrue(Math.abs(ageMs) < TOLERANCE_MS, `${what} is ${ageMs} ms old`)
}

/** Watches for a moment that the printer does not show the status. */
async function expectNotShown(ctx: Context, printer: { id: number; auth_token: string }, ts: number): Promise<void> {
  const until = Date.now() + 300
  while (Date.now() < until) {
    const { status } = await ctx.printerWhen(printer, 'the printer is there', () => true)
    expectTrue(status?.['_ts'] !== ts, `the status of ${ts} was applied`)
  }
}

export const transitionsCases: readonly Case[] = [
  {
    ...CONTRACT,
    id: 'transitions/PrintStarted',
    title: 'PrintStarted brings an idle printer to Printing and starts a print',
    async run(ctx) {
      const { printer, agent } = await ctx.connect()
      const message = ctx.message('Printing', { printTs: ctx.now(), event: { event_type: 'PrintStarted' } })
      agent.send(message)
      const { status } = await ctx.shown(printer, message)
      expectEqual(status?.['state'], message.status.state, 'the state')
      const { current_print } = await ctx.printerWhen(
        printer,
        'current_print is set',
        (it) => it.current_print !== null,
      )
      const print = await ctx.printWhen(current_print?.id ?? 0, 'the print is there', () => true)
      expectRecent(print.started_at, 'started_at')
      expectEqual([print.finished_at, print.cancelled_at], [null, null], 'the ends')
    },
  },
  ...FROM_PRINTING.map(fromPrinting),
  {
    ...EVENTS,
    id: 'transitions/PrintResumed',
    title: 'PrintResumed brings a paused printer back to Printing, in the same print',
    async run(ctx) {
      const printing = await ctx.startPrint()
      await ctx.report(printing, 'Paused', 'PrintPaused')
      const printer = await ctx.report(printing, 'Printing', 'PrintResumed')
      expectEqual(printer.current_print?.id, printing.printId, 'the current print')
    },
  },
  {
    id: 'transitions/PrintFailed',
    group: 'decisions',
    section: 'decision 19',
    title: 'PrintFailed ends the print with failed_at and cancelled_at',
    async run(ctx) {
      const printing = await ctx.startPrint()
      await ctx.report(printing, 'Operational', 'PrintFailed')
      const print = await ctx.printWhen(printing.printId, 'cancelled_at is set', (it) => it.cancelled_at !== null)
      expectTrue(print['failed_at'] !== null, 'failed_at is null')
      expectEqual(print.finished_at, null, 'finished_at')
    },
  },
  {
    ...EVENTS,
    id: 'transitions/same-print',
    title: 'Messages with the same current_print_ts belong to the same print, over connections too',
    async run(ctx) {
      const { printer, agent, printTs, printId } = await ctx.startPrint()
      await agent.close()
      const again = { printer, agent: await ctx.openAgent(printer.auth_token) }
      const { current_print } = await ctx.applied(again, ctx.message('Printing', { printTs }))
      expectEqual(current_print?.id, printId, 'the current print')
    },
  },
  {
    ...EVENTS,
    id: 'transitions/new-print',
    title: 'A different current_print_ts is a new print and ends the one before',
    async run(ctx) {
      const { printer, agent, printId } = await ctx.startPrint()
      agent.send(ctx.message('Printing', { printTs: ctx.now() }))
      await ctx.printerWhen(
        printer,
        'another print is current',
        ({ current_print }) => current_print !== null && current_print.id !== printId,
      )
      await ctx.printWhen(printId, 'the print before has ended', (it) => it.cancelled_at !== null)
    },
  },
  {
    id: 'transitions/assumed-finish',
    group: 'decisions',
    section: 'decision 20',
    title: 'A print that another one replaced was finished if it was at 100 %',
    async run(ctx) {
      const { agent, printTs, printId } = await ctx.startPrint()
      agent.send(ctx.message('Printing', { printTs, status: { progress: { completion: 100 } } }))
      agent.send(ctx.message('Printing', { printTs: ctx.now() }))
      const print = await ctx.printWhen(printId, 'finished_at is set', (it) => it.finished_at !== null)
      expectEqual(print.cancelled_at, null, 'cancelled_at')
    },
  },
  {
    ...EVENTS,
    id: 'transitions/older-status',
    title: 'A message with an older _ts does not override a newer one',
    async run(ctx) {
      const older = ctx.message('Paused')
      const { printer, agent } = await ctx.connect()
      const newer = ctx.message('Operational')
      agent.send(newer)
      await ctx.shown(printer, newer)
      agent.send(older)
      await expectNotShown(ctx, printer, older.status._ts)
    },
  },
  {
    id: 'transitions/equal-status',
    group: 'decisions',
    section: 'decision 17',
    title: 'A message with an equal _ts is applied',
    async run(ctx) {
      const { printer, agent } = await ctx.connect()
      const first = ctx.message('Operational')
      agent.send(first)
      agent.send({ ...first, status: { ...first.status, currentZ: 4.25 } })
      await ctx.printerWhen(printer, 'currentZ is shown', ({ status }) => status?.['currentZ'] === 4.25)
    },
  },
  {
    id: 'transitions/late-event',
    group: 'decisions',
    section: 'decision 17',
    title: 'The event of a late message counts, its status does not',
    async run(ctx) {
      const { printer, agent, printTs, printId } = await ctx.startPrint()
      const late = ctx.message('Operational', { printTs, event: { event_type: 'PrintDone' } })
      const newer = ctx.message('Operational', { printTs })
      agent.send(newer)
      await ctx.shown(printer, newer)
      agent.send(late)
      await ctx.printWhen(printId, 'finished_at is set', (it) => it.finished_at !== null)
      const { status } = await ctx.printerWhen(printer, 'current_print is null', (it) => it.current_print === null)
      expectEqual(status?.['_ts'], newer.status._ts, '_ts')
    },
  },
  {
    id: 'transitions/clock-ahead',
    group: 'decisions',
    section: 'decision 17',
    title: 'A clock that is far ahead does not keep later messages from being applied',
    async run(ctx) {
      const { printer, agent } = await ctx.connect()
      const ahead = ctx.message('Operational', { ts: ctx.now() + 86_400 })
      agent.send(ahead)
      await ctx.shown(printer, ahead)
      const right = ctx.message('Operational', { ts: ctx.now() + 1 })
      agent.send(right)
      await ctx.shown(printer, right)
    },
  },
  {
    id: 'transitions/event-age',
    group: 'decisions',
    section: 'decision 25',
    title: 'started_at is the time of receipt less age_ms',
    async run(ctx) {
      const age_ms = 60_000
      const { printId } = await ctx.startPrint({ event: { event_type: 'PrintStarted', age_ms } })
      const { started_at } = await ctx.printWhen(printId, 'the print is there', () => true)
      const ageMs = Date.now() - Date.parse(Timestamp.parse(started_at))
      expectTrue(Math.abs(ageMs - age_ms) < TOLERANCE_MS, `started_at is ${ageMs} ms ago, not ${age_ms}`)
    },
  },
  {
    ...EVENTS,
    id: 'transitions/repeated-end',
    title: 'An end that is reported again changes nothing',
    async run(ctx) {
      const printing = await ctx.startPrint()
      await ctx.report(printing, 'Operational', 'PrintDone')
      const ended = await ctx.printWhen(printing.printId, 'finished_at is set', (it) => it.finished_at !== null)
      await ctx.report(printing, 'Operational', 'PrintDone')
      const printer = await ctx.report(printing, 'Operational', 'PrintCancelled')
      expectEqual(printer.current_print, null, 'current_print')
      const again = await ctx.printWhen(printing.printId, 'the print is there', () => true)
      expectEqual(
        [again.finished_at, again.cancelled_at],
        [ended.finished_at, ended.cancelled_at],
        'finished_at and cancelled_at',
      )
    },
  },
]
