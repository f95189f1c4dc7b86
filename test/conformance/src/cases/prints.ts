import { PredictionJson, Print, type PrintEventType, Timestamp } from '#protocol'
import { z } from 'zod'
import type { Case } from '../run.js'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectHeader, expectProblem, expectStatus, expectTrue } from '../expect.js'
import { jobOf } from '../messages.js'
import { ContractPrint } from '../shapes.js'
import { SHORT_VIDEO } from '../short-video.js'

const LIST = '/api/v1/prints/'
const CONTRACT = { group: 'contract', section: 'api.md §4.3' } as const
const LISTS = { group: 'decisions', section: 'decision 6' } as const

async function list({ owner }: Context, query: string): Promise<ContractPrint[]> {
  return expectBody(await owner.get(`${LIST}${query}`), z.array(ContractPrint))
}

async function listIds(ctx: Context, query: string): Promise<number[]> {
  return (await list(ctx, query)).map(({ id }) => id)
}

/** Each filter on the end of a print, and whether it selects prints with the other ends. */
const ENDS = [
  { filter: 'cancelled', group: 'contract', holds: { PrintCancelled: true, PrintDone: false } },
  { filter: 'finished', group: 'contract', holds: { PrintDone: true, PrintCancelled: false, PrintFailed: false } },
  { filter: 'failed', group: 'decisions', holds: { PrintFailed: true, PrintCancelled: false, PrintDone: false } },
] as const

const endFilter = ({ filter, group, holds }: (typeof ENDS)[number]): Case => ({
  id: `prints/filter-${filter}`,
  group,
  section: group === 'contract' ? 'api.md §4.3' : 'decision 19',
  title: `filter=${filter} gives the prints that ended so, and no running ones`,
  async run(ctx) {
    const running = await ctx.startPrint()
    const ends = Object.entries(holds) as [PrintEventType, boolean][]
    for (const [event, isHeld] of ends) {
      const { printId } = await ctx.endedPrint(event)
      const ids = await listIds(ctx, `?filter=${filter}`)
      expectEqual(ids.includes(printId), isHeld, `whether the list holds a print that ended with ${event}`)
      expectTrue(!ids.includes(running.printId), 'the list holds a running print')
    }
  },
})

export const printsCases: readonly Case[] = [
  {
    ...CONTRACT,
    id: 'prints/get',
    title: 'A print has the fields of section 2, with the printer and the file it was about',
    async run(ctx) {
      const { printId, printer } = await ctx.startPrint({ status: { job: jobOf('benchy.gcode') } })
      const print = expectBody(await ctx.owner.get(`${LIST}${printId}/`), ContractPrint)
      expectEqual(print.id, printId, 'the id')
      expectEqual(print.filename, 'benchy.gcode', 'the file name')
      const { id } = z.looseObject({ id: z.number() }).parse(print.printer)
      expectEqual(id, printer.id, 'the id of the printer')
    },
  },
  {
    id: 'prints/shape',
    group: 'decisions',
    section: 'decision 7',
    title: 'Prints in the list and alone are equal and have every field with its type',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      await ctx.untilEqual('the newest print of the list and alone', async () => [
        expectBody(await ctx.owner.get(`${LIST}?sorting=date_desc&limit=1`), z.array(Print)),
        [expectBody(await ctx.owner.get(`${LIST}${printId}/`), Print)],
      ])
    },
  },
  {
    ...CONTRACT,
    id: 'prints/singular-path',
    title: 'GET /api/v1/print/{id}/ is the same as GET /api/v1/prints/{id}/',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      await ctx.untilEqual('the answers of both paths', async () => [
        expectBody(await ctx.owner.get(`/api/v1/print/${printId}/`), ContractPrint),
        expectBody(await ctx.owner.get(`${LIST}${printId}/`), ContractPrint),
      ])
    },
  },
  {
    ...CONTRACT,
    id: 'prints/others-hidden',
    title: "The list holds nobody else's prints",
    async run(ctx) {
      const { printId } = await ctx.startPrint()
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      const prints = expectBody(await stranger.get(LIST), z.array(ContractPrint))
      expectTrue(!prints.some(({ id }) => id === printId), "the list holds another user's print")
      expectTrue((await listIds(ctx, '')).includes(printId), "the user's own list lacks the print")
    },
  },
  {
    ...CONTRACT,
    id: 'prints/sorting',
    title: 'sorting orders by the start time, in both directions',
    async run(ctx) {
      const first = await ctx.endedPrint('PrintDone')
      const second = await ctx.endedPrint('PrintCancelled')
      const made = [second.printId, first.printId]
      const newest = await listIds(ctx, '?sorting=date_desc&limit=20')
      const ofThese = newest.filter((id) => made.includes(id))
      expectEqual(ofThese, made, 'the order of date_desc')
      const starts = (await list(ctx, '?sorting=date_asc')).map(({ started_at }) =>
        Date.parse(Timestamp.parse(started_at)),
      )
      expectEqual(
        starts,
        starts.toSorted((a, b) => a - b),
        'the start times of date_asc',
      )
    },
  },
  {
    ...CONTRACT,
    id: 'prints/start-and-limit',
    title: 'start skips and limit bounds what is returned',
    async run(ctx) {
      for (let count = 0; count < 3; count += 1) await ctx.endedPrint('PrintDone')
      const all = await listIds(ctx, '?sorting=date_desc&limit=3')
      expectEqual(all.length, 3, 'the number of prints with limit=3')
      expectEqual(await listIds(ctx, '?sorting=date_desc&limit=2'), all.slice(0, 2), 'the first two')
      expectEqual(await listIds(ctx, '?sorting=date_desc&start=1&limit=1'), all.slice(1, 2), 'the second')
      expectEqual((await listIds(ctx, '?sorting=date_desc&start=2'))[0], all[2], 'the first after two')
      expectEqual(await listIds(ctx, '?sorting=date_desc&start=100000'), [], 'what is beyond the end')
    },
  },
  ...(['start', 'limit'] as const).map(
    (name): Case => ({
      ...LISTS,
      id: `prints/${name}-without-sorting`,
      title: `${name} without sorting is 400 naming the parameter`,
      async run({ owner }) {
        const { issues = [] } = expectProblem(await owner.get(`${LIST}?${name}=1`), 400, 'invalid_request')
        expectEqual(
          issues.map(({ path }) => path),
          [name],
          'the paths of the issues',
        )
      },
    }),
  ),
  ...ENDS.map(endFilter),
  {
    ...CONTRACT,
    id: 'prints/filter-need-alert-overwrite',
    title: 'filter=need_alert_overwrite gives only prints whose alert_overwrite is null',
    async run(ctx) {
      await ctx.endedPrint('PrintDone')
      const prints = await list(ctx, '?filter=need_alert_overwrite')
      expectTrue(
        prints.every(({ alert_overwrite }) => alert_overwrite === null),
        'the list holds a print with an alert_overwrite',
      )
    },
  },
  {
    ...CONTRACT,
    id: 'prints/filter-need-print-shot-feedback',
    title: 'filter=need_print_shot_feedback leaves out prints without feedback objects',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      const ids = await listIds(ctx, '?filter=need_print_shot_feedback')
      expectTrue(!ids.includes(printId), 'the list holds a print without feedback objects')
    },
  },
  {
    id: 'prints/bad-query',
    group: 'decisions',
    section: 'decision 3',
    title: 'A filter, sorting or number that is none is 400',
    async run({ owner }) {
      const queries = ['filter=lost', 'sorting=name', 'sorting=date_asc&start=x', 'sorting=date_asc&limit=-1']
      for (const query of queries) expectProblem(await owner.get(`${LIST}?${query}`), 400, 'invalid_request')
    },
  },
  {
    ...LISTS,
    id: 'prints/limit-maximum',
    title: 'limit may be 500 and not more',
    async run({ owner }) {
      expectStatus(await owner.get(`${LIST}?sorting=date_asc&limit=500`), 200)
      expectProblem(await owner.get(`${LIST}?sorting=date_asc&limit=501`), 400, 'invalid_request')
    },
  },
  {
    ...LISTS,
    id: 'prints/links',
    title: 'X-Total-Count counts all pages, and following Link rel=next visits every print once',
    async run(ctx) {
      const { printer } = await ctx.endedPrint('PrintDone')
      const query = `?filter_by_printer_ids[]=${printer.id}&sorting=date_desc`
      const expected = (await listIds(ctx, query)).slice(0, 20)
      const seen: number[] = []
      let path: string | undefined = `${LIST}${query}&limit=2`
      while (path !== undefined && seen.length < expected.length) {
        const answer = await ctx.owner.get(path)
        const page = expectBody(answer, z.array(ContractPrint))
        expectTrue(Number(expectHeader(answer, 'x-total-count')) >= expected.length, 'X-Total-Count is too small')
        seen.push(...page.map(({ id }) => id))
        path = nextOf(answer.headers.get('link'))
      }
      expectEqual(seen.slice(0, expected.length), expected, 'the prints of all pages')
    },
  },
  {
    ...LISTS,
    id: 'prints/filter-printers',
    title: 'filter_by_printer_ids[] gives the prints of these printers',
    async run(ctx) {
      const [one, two, three] = [
        await ctx.endedPrint('PrintDone'),
        await ctx.endedPrint('PrintDone'),
        await ctx.endedPrint('PrintDone'),
      ]
      const wanted = `filter_by_printer_ids[]=${one.printer.id}&filter_by_printer_ids[]=${two.printer.id}`
      const ids = await listIds(ctx, `?${wanted}`)
      expectTrue(ids.includes(one.printId) && ids.includes(two.printId), 'a wanted print is missing')
      expectTrue(!ids.includes(three.printId), "another printer's print is there")
    },
  },
  {
    id: 'prints/prediction-json',
    group: 'decisions',
    section: 'decision 22',
    title: 'The prediction JSON of a print without pictures is an empty list',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      expectEqual(
        expectBody(await ctx.owner.get(`${LIST}${printId}/prediction_json`), PredictionJson),
        [],
        'the frames',
      )
    },
  },
  {
    id: 'prints/timelapse-upload',
    group: 'decisions',
    section: 'decision 8',
    title: "A user's own time-lapse sets uploaded_at, and what is no video is refused",
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      const path = `${LIST}${printId}/timelapse/`
      const form = new FormData()
      form.set('file', new Blob(['no video at all']), 'film.mp4')
      expectProblem(await ctx.owner.send('POST', path, { body: form }), 415, 'unsupported_media_type')
      const refused = expectBody(await ctx.owner.get(`${LIST}${printId}/`), Print)
      expectEqual(refused.uploaded_at, null, 'uploaded_at after what was refused')
      const own = new FormData()
      own.set('file', new Blob([Uint8Array.from(Buffer.from(SHORT_VIDEO, 'base64'))]), 'film.mp4')
      const print = expectBody(await ctx.owner.send('POST', path, { body: own }), Print)
      expectTrue(print.uploaded_at !== null && print.video_url !== null, 'the print has no uploaded_at or no video_url')
    },
  },
]

/** The path of the next page, of a `Link` header (RFC 8288). */
function nextOf(link: string | null): string | undefined {
  const target = /<([^>]+)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1]
  if (target === undefined) return undefined
  const { pathname, search } = new URL(target, 'http://relative.example')
  return pathname + search
}
