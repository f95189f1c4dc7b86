import { z } from 'zod'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectProblem, expectTrue } from '../expect.js'
import type { Case } from '../run.js'

const STATS = '/api/v1/prints/stats/'
const SHAPE = { group: 'decisions', section: 'decision 7' } as const

const Groups = z.array(z.object({ key: z.string(), value: z.number() }))

/** The statistics as existing clients read them. */
const Stats = z.looseObject({
  print_count_groups: Groups,
  print_time_groups: Groups,
  filament_used_groups: Groups,
  total_print_count: z.int(),
  total_cancelled_print_count: z.int(),
  total_succeeded_print_count: z.int(),
  total_print_time: z.number(),
  longest_print_time: z.number(),
  average_print_time: z.number(),
  total_filament_used: z.number(),
})

const dayOf = (offsetDays: number): string => new Date(Date.now() + offsetDays * 86_400_000).toISOString().slice(0, 10)

/** From yesterday to tomorrow, so that midnight does not matter. */
const SPAN = (): string => `timezone=UTC&from_date=${dayOf(-1)}&to_date=${dayOf(1)}`

async function stats({ owner }: Context, query: string): Promise<z.infer<typeof Stats>> {
  return expectBody(await owner.get(`${STATS}?${query}`), Stats)
}

const sum = (groups: z.infer<typeof Groups>): number => groups.reduce((total, { value }) => total + value, 0)

export const printStatsCases: readonly Case[] = [
  {
    group: 'contract',
    section: 'api.md §4.3',
    id: 'print-stats/answers',
    title: 'The statistics of prints are answered',
    async run({ owner }) {
      expectBody(await owner.get(`${STATS}?${SPAN()}&group_by=day`), z.json())
    },
  },
  {
    ...SHAPE,
    id: 'print-stats/counts',
    title: 'The statistics count prints, and of them the cancelled and the succeeded ones',
    async run(ctx) {
      const done = await ctx.endedPrint('PrintDone')
      const query = `${SPAN()}&group_by=day&filter_by_printer_ids[]=${done.printer.id}`
      const before = await stats(ctx, query)
      expectTrue(before.total_print_count >= 1, 'the print is not counted')
      const { total_print_count, total_cancelled_print_count, total_succeeded_print_count } = before
      expectEqual(total_print_count - total_cancelled_print_count, total_succeeded_print_count, 'the succeeded ones')
      expectEqual(sum(before.print_count_groups), total_print_count, 'the sum of the groups')
      await ctx.owner.delete(`/api/v1/prints/${done.printId}/`)
      expectEqual((await stats(ctx, query)).total_print_count, total_print_count - 1, 'the count without it')
    },
  },
  {
    ...SHAPE,
    id: 'print-stats/periods',
    title: 'Groups begin at from_date, then at each midnight, up to to_date',
    async run(ctx) {
      const { print_count_groups } = await stats(
        ctx,
        'timezone=UTC&from_date=2026-03-01&to_date=2026-03-04&group_by=day',
      )
      const days = print_count_groups.map(({ key }) => new Date(key).toISOString())
      const expected = ['01', '02', '03', '04'].map((day) => `2026-03-${day}T00:00:00.000Z`)
      expectEqual(days, expected, 'the keys')
    },
  },
  {
    ...SHAPE,
    id: 'print-stats/time-zone',
    title: 'Midnight is that of the time zone, over a change to summer time too',
    async run(ctx) {
      const query = 'timezone=Europe/Berlin&from_date=2026-03-28&to_date=2026-03-30&group_by=day'
      const { print_time_groups } = await stats(ctx, query)
      const starts = print_time_groups.map(({ key }) => new Date(key).toISOString())
      const expected = ['2026-03-27T23:00:00.000Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']
      expectEqual(starts, expected, 'the keys')
    },
  },
  {
    id: 'print-stats/bad-query',
    group: 'decisions',
    section: 'decision 3',
    title: 'A time zone, date or grouping that is none, or one that is missing, is 400',
    async run({ owner }) {
      const queries = [
        '',
        'timezone=UTC&from_date=2026-03-01&to_date=2026-03-04',
        'timezone=Nowhere/At_All&from_date=2026-03-01&to_date=2026-03-04&group_by=day',
        'timezone=UTC&from_date=2026-02-30&to_date=2026-03-04&group_by=day',
        'timezone=UTC&from_date=2026-03-01&to_date=2026-03-04&group_by=hour',
      ]
      for (const query of queries) expectProblem(await owner.get(`${STATS}?${query}`), 400, 'invalid_request')
    },
  },
]
