import { PrinterEvent } from '#protocol'
import { z } from 'zod'
import type { Context, Printing } from '../context.js'
import { expectBody, expectEqual, expectProblem, expectTrue } from '../expect.js'
import type { Case } from '../run.js'

const LIST = '/api/v1/printer_events/'
const OURS = { group: 'decisions', section: 'decision 9' } as const

async function list({ owner }: Context, query: string): Promise<PrinterEvent[]> {
  return expectBody(await owner.get(`${LIST}?${query}`), z.array(PrinterEvent))
}

async function types(ctx: Context, query: string): Promise<string[]> {
  return (await list(ctx, query)).map(({ event_type }) => event_type)
}

/** A print with a history: started, paused, resumed, muted, finished. */
async function history(ctx: Context): Promise<Printing> {
  const printing = await ctx.startPrint()
  await ctx.report(printing, 'Paused', 'PrintPaused')
  await ctx.report(printing, 'Printing', 'PrintResumed')
  await ctx.owner.post(`/api/v1/printers/${printing.printer.id}/mute_current_print/`)
  await ctx.report(printing, 'Operational', 'PrintDone')
  await ctx.printerWhen(printing.printer, 'the print has ended', ({ current_print }) => current_print === null)
  return printing
}

export const printerEventsCases: readonly Case[] = [
  {
    ...OURS,
    id: 'printer-events/history',
    title: 'What happens to a print is in its history, newest first, with its printer and print',
    async run(ctx) {
      const { printId, printer } = await history(ctx)
      const events = await list(ctx, `print_id=${printId}`)
      expectEqual(
        events.map(({ event_type }) => event_type),
        ['ENDED', 'ALERT_MUTED', 'RESUMED', 'PAUSED', 'STARTED'],
        'the types',
      )
      expectTrue(
        events.every((event) => event.print === printId && event.printer === printer.id),
        'an event names another print or printer',
      )
    },
  },
  {
    ...OURS,
    id: 'printer-events/classes',
    title: 'The end of a print is SUCCESS when it finished and WARNING when it was cancelled; the start is INFO',
    async run(ctx) {
      for (const [event, event_class] of [
        ['PrintDone', 'SUCCESS'],
        ['PrintCancelled', 'WARNING'],
      ] as const) {
        const { printId } = await ctx.endedPrint(event)
        const [ended, started] = await list(ctx, `print_id=${printId}`)
        expectEqual([ended?.event_class, started?.event_class], [event_class, 'INFO'], `the classes after ${event}`)
      }
    },
  },
  {
    ...OURS,
    id: 'printer-events/filter-types',
    title: 'filter_by_types[] gives these types; PAUSE_RESUME and ALERT stand for several',
    async run(ctx) {
      const { printId } = await history(ctx)
      const of = (...names: string[]): string =>
        `print_id=${printId}&${names.map((name) => `filter_by_types[]=${name}`).join('&')}`
      expectEqual(await types(ctx, of('STARTED', 'ENDED')), ['ENDED', 'STARTED'], 'two types')
      expectEqual(await types(ctx, of('PAUSE_RESUME')), ['RESUMED', 'PAUSED'], 'PAUSE_RESUME')
      expectEqual(await types(ctx, of('ALERT')), ['ALERT_MUTED'], 'ALERT')
    },
  },
  {
    ...OURS,
    id: 'printer-events/filter-classes',
    title: 'filter_by_classes[] gives these classes; with both filters an event must fit both',
    async run(ctx) {
      const { printId } = await history(ctx)
      const of = (rest: string): string => `print_id=${printId}&${rest}`
      expectEqual(await types(ctx, of('filter_by_classes[]=SUCCESS')), ['ENDED'], 'one class')
      const both = 'filter_by_classes[]=SUCCESS&filter_by_types[]=STARTED'
      expectEqual(await types(ctx, of(both)), [], 'a class and a type that no event has together')
    },
  },
  {
    ...OURS,
    id: 'printer-events/start-and-limit',
    title: 'start skips and limit bounds what is returned',
    async run(ctx) {
      const { printId } = await history(ctx)
      expectEqual(await types(ctx, `print_id=${printId}&start=1&limit=2`), ['ALERT_MUTED', 'RESUMED'], 'the types')
    },
  },
  {
    id: 'printer-events/bad-query',
    group: 'decisions',
    section: 'decision 3',
    title: 'A class, type or number that is none is 400',
    async run({ owner }) {
      for (const query of ['filter_by_types[]=NAPPED', 'filter_by_classes[]=BLUE', 'start=-1', 'limit=x']) {
        expectProblem(await owner.get(`${LIST}?${query}`), 400, 'invalid_request')
      }
    },
  },
  {
    ...OURS,
    id: 'printer-events/foreign',
    title: "Nobody sees the events of another user's printers",
    async run(ctx) {
      const { printId, printer } = await ctx.endedPrint('PrintDone')
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      for (const query of [`print_id=${printId}`, `printer_id=${printer.id}`]) {
        const answer = await stranger.get(`${LIST}?${query}`)
        if (answer.status === 404) continue
        expectEqual(expectBody(answer, z.array(z.unknown())), [], `the events with ${query}`)
      }
    },
  },
]
