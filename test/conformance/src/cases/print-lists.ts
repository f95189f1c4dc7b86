import { z } from 'zod'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectHeader, expectProblem, expectTrue } from '../expect.js'
import type { Answer } from '../http.js'
import type { Case } from '../run.js'
import { ContractPrint } from '../shapes.js'

const LIST = '/api/v1/prints/'
const CONTRACT = { group: 'contract', section: 'api.md §4.3' } as const
const LISTS = { group: 'decisions', section: 'decision 6' } as const

const idsOf = (answer: Answer): number[] => expectBody(answer, z.array(ContractPrint)).map(({ id }) => id)

async function listIds({ owner }: Context, query: string): Promise<number[]> {
  return idsOf(await owner.get(`${LIST}${query}`))
}

/** The relations of a `Link` header. */
function relations(link: string | null): string[] {
  return [...(link ?? '').matchAll(/rel="?(\w+)"?/g)].map(([, name = '']) => name)
}

const day = (offsetDays: number): string => new Date(Date.now() + offsetDays * 86_400_000).toISOString().slice(0, 10)

export const printListsCases: readonly Case[] = [
  {
    ...CONTRACT,
    id: 'print-lists/array',
    title: 'The list of prints is a JSON array, also with each filter',
    async run({ owner }) {
      for (const filter of ['cancelled', 'finished', 'need_alert_overwrite', 'need_print_shot_feedback']) {
        expectBody(await owner.get(`${LIST}?filter=${filter}`), z.array(ContractPrint))
      }
    },
  },
  {
    ...CONTRACT,
    id: 'print-lists/filter-sorting-limit',
    title: 'filter, sorting, start and limit work together: what is skipped and counted is what the filter leaves',
    async run(ctx) {
      const first = await ctx.endedPrint('PrintDone')
      const cancelled = await ctx.endedPrint('PrintCancelled')
      const second = await ctx.endedPrint('PrintDone')
      const query = '?filter=finished&sorting=date_desc'
      const all = await listIds(ctx, `${query}&limit=50`)
      const made = [second.printId, first.printId]
      expectEqual(
        all.filter((id) => made.includes(id)),
        made,
        'the order of the two that finished',
      )
      expectTrue(!all.includes(cancelled.printId), 'the cancelled one is among them')
      expectEqual(await listIds(ctx, `${query}&start=0&limit=2`), all.slice(0, 2), 'the first two')
      expectEqual(await listIds(ctx, `${query}&start=1&limit=1`), all.slice(1, 2), 'the second')
    },
  },
  {
    ...CONTRACT,
    id: 'print-lists/opposite',
    title: 'date_asc is the opposite order of date_desc',
    async run(ctx) {
      const { printer } = await ctx.endedPrint('PrintDone')
      await ctx.endedPrint('PrintDone')
      const query = `?filter_by_printer_ids[]=${printer.id}&sorting=`
      const up = await listIds(ctx, `${query}date_asc`)
      expectEqual((await listIds(ctx, `${query}date_desc`)).toReversed(), up, 'date_desc from its end')
    },
  },
  {
    ...LISTS,
    id: 'print-lists/newest-first',
    title: 'Without sorting the newest print comes first',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      expectEqual((await listIds(ctx, ''))[0], printId, 'the first print')
    },
  },
  {
    ...LISTS,
    id: 'print-lists/link-relations',
    title: 'Link names next and prev just where there is a next or a previous page',
    async run(ctx) {
      for (let count = 0; count < 3; count += 1) await ctx.endedPrint('PrintDone')
      const total = Number(expectHeader(await ctx.owner.get(LIST), 'x-total-count'))
      const at = async (start: number): Promise<string[]> =>
        relations((await ctx.owner.get(`${LIST}?sorting=date_desc&limit=1&start=${start}`)).headers.get('link')).sort()
      expectEqual(await at(0), ['next'], 'the relations of the first page')
      expectEqual(await at(1), ['next', 'prev'], 'the relations of the second page')
      expectEqual(await at(total - 1), ['prev'], 'the relations of the last page')
    },
  },
  {
    ...LISTS,
    id: 'print-lists/total-of-filter',
    title: 'X-Total-Count counts what the filter leaves, not the page and not all prints',
    async run(ctx) {
      const { printer } = await ctx.endedPrint('PrintDone')
      const query = `?filter_by_printer_ids[]=${printer.id}&sorting=date_desc`
      const all = await listIds(ctx, query)
      const answer = await ctx.owner.get(`${LIST}${query}&limit=1`)
      expectEqual(expectHeader(answer, 'x-total-count'), String(all.length), 'X-Total-Count')
      expectEqual(idsOf(answer).length, 1, 'the number of prints')
    },
  },
  {
    ...LISTS,
    id: 'print-lists/dates',
    title: 'from_date and to_date are days in timezone, both inclusive',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      const query = (from: string, to: string): string => `?timezone=UTC&from_date=${from}&to_date=${to}`
      expectTrue((await listIds(ctx, query(day(-1), day(1)))).includes(printId), 'the print of today is missing')
      expectTrue(!(await listIds(ctx, query(day(-9), day(-3)))).includes(printId), 'it is among those of last week')
    },
  },
  {
    id: 'print-lists/foreign-printer',
    group: 'decisions',
    section: 'decision 6',
    title: "Filtering by another user's printer gives nothing",
    async run(ctx) {
      expectEqual(await listIds(ctx, `?filter_by_printer_ids[]=${ctx.target.other_printer.id}`), [], 'the prints')
    },
  },
  {
    id: 'print-lists/numbers',
    group: 'decisions',
    section: 'decision 3',
    title: 'start and limit are whole numbers from 0; anything else is 400 naming the parameter',
    async run({ owner }) {
      for (const name of ['start', 'limit']) {
        for (const value of ['-1', '1.5', 'one', '1e3', '']) {
          const answer = await owner.get(`${LIST}?sorting=date_asc&${name}=${value}`)
          const { issues = [] } = expectProblem(answer, 400, 'invalid_request')
          expectEqual(
            issues.map(({ path }) => path),
            [name],
            `the paths of the issues with ${name}=${value}`,
          )
        }
      }
    },
  },
]
