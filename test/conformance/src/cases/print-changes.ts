import { z } from 'zod'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectProblem, expectStatus, expectTrue } from '../expect.js'
import type { Case } from '../run.js'
import { ContractPrint } from '../shapes.js'

const LIST = '/api/v1/prints/'
const CONTRACT = { group: 'contract', section: 'api.md §4.3' } as const
const CHANGING = { group: 'decisions', section: 'decision 7' } as const

const READ_ONLY = {
  id: 1,
  printer: 1,
  filename: 'other.gcode',
  started_at: '2000-01-01T00:00:00Z',
  finished_at: '2000-01-01T00:00:00Z',
  cancelled_at: '2000-01-01T00:00:00Z',
  uploaded_at: '2000-01-01T00:00:00Z',
  alerted_at: '2000-01-01T00:00:00Z',
  alert_acknowledged_at: '2000-01-01T00:00:00Z',
  alert_muted_at: '2000-01-01T00:00:00Z',
  paused_at: '2000-01-01T00:00:00Z',
  video_url: 'http://a.example/v.mp4',
  tagged_video_url: 'http://a.example/t.mp4',
  poster_url: 'http://a.example/p.jpg',
  prediction_json_url: 'http://a.example/p.json',
}

/** Addresses are made anew for each answer. */
const WITHOUT_ADDRESSES = ['video_url', 'tagged_video_url', 'poster_url', 'prediction_json_url']

const pathOf = (id: number): string => `${LIST}${id}/`

async function getPrint({ owner }: Context, id: number): Promise<ContractPrint> {
  return expectBody(await owner.get(pathOf(id)), ContractPrint)
}

/** Deletes in bulk, and gives the number that the server told. */
async function bulkDelete({ owner }: Context, print_ids: readonly number[]): Promise<number> {
  return expectBody(await owner.post(`${LIST}bulk_delete/`, { print_ids }), z.object({ deleted: z.int() })).deleted
}

export const printChangesCases: readonly Case[] = [
  {
    ...CONTRACT,
    id: 'print-changes/answer',
    title: 'PATCH of a print answers the print',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      const answered = expectBody(await ctx.owner.patch(pathOf(printId), { alert_overwrite: null }), ContractPrint)
      expectEqual([answered.id, answered.alert_overwrite], [printId, null], 'id and alert_overwrite')
    },
  },
  {
    group: 'contract',
    section: 'api.md §2',
    id: 'print-changes/read-only',
    title: 'PATCH of a print does not change read-only fields',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      const before = await getPrint(ctx, printId)
      for (const [field, value] of Object.entries(READ_ONLY)) await ctx.owner.patch(pathOf(printId), { [field]: value })
      const after = await getPrint(ctx, printId)
      for (const field of Object.keys(READ_ONLY)) {
        if (WITHOUT_ADDRESSES.includes(field) && before[field] !== null) continue
        expectEqual(after[field], before[field], field)
      }
    },
  },
  {
    ...CHANGING,
    id: 'print-changes/overwrite',
    title: 'alert_overwrite takes FAILED and NOT_FAILED and keeps it; the rest of the print stays',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      const before = await getPrint(ctx, printId)
      for (const alert_overwrite of ['FAILED', 'NOT_FAILED', null]) {
        expectEqual(
          expectBody(await ctx.owner.patch(pathOf(printId), { alert_overwrite }), ContractPrint).alert_overwrite,
          alert_overwrite,
          'alert_overwrite in the answer',
        )
        expectEqual((await getPrint(ctx, printId)).alert_overwrite, alert_overwrite, 'alert_overwrite afterwards')
      }
      expectEqual((await getPrint(ctx, printId)).started_at, before.started_at, 'started_at')
    },
  },
  {
    ...CONTRACT,
    id: 'print-changes/need-alert-overwrite',
    title: 'A print that got an alert_overwrite is no longer among need_alert_overwrite',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintCancelled')
      expectStatus(await ctx.owner.patch(pathOf(printId), { alert_overwrite: 'FAILED' }), 200)
      const answer = await ctx.owner.get(`${LIST}?filter=need_alert_overwrite&sorting=date_desc&limit=50`)
      const prints = expectBody(answer, z.array(ContractPrint))
      expectTrue(!prints.some(({ id }) => id === printId), 'the list holds it')
    },
  },
  {
    ...CHANGING,
    id: 'print-changes/wrong-type',
    title: 'A wrong value is 400 naming the field, and changes nothing, not even the fields that are right',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      const before = await getPrint(ctx, printId)
      const wrong = { alert_overwrite: 'PERHAPS', filament_used: 'much', print_time: -1 }
      for (const [field, value] of Object.entries(wrong)) {
        const right = field === 'alert_overwrite' ? { print_time: 7 } : { alert_overwrite: 'FAILED' }
        const answer = await ctx.owner.patch(pathOf(printId), { ...right, [field]: value })
        const { issues = [] } = expectProblem(answer, 400, 'invalid_request')
        expectEqual(
          issues.map(({ path }) => path),
          [field],
          'the paths of the issues',
        )
      }
      const { alert_overwrite, print_time } = await getPrint(ctx, printId)
      expectEqual([alert_overwrite, print_time], [before.alert_overwrite, before.print_time], 'the print')
    },
  },
  {
    ...CHANGING,
    id: 'print-changes/ignores',
    title: 'Read-only and unknown fields are no error beside writable ones',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      const change = { ...READ_ONLY, no_such_field: 1, alert_overwrite: 'FAILED' }
      const answered = expectBody(await ctx.owner.patch(pathOf(printId), change), ContractPrint)
      expectEqual([answered.id, answered.alert_overwrite], [printId, 'FAILED'], 'id and alert_overwrite')
    },
  },
  {
    ...CONTRACT,
    id: 'print-changes/delete',
    title: 'DELETE of a print is 200 with an empty body, and the print is gone',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      const answer = await ctx.owner.delete(pathOf(printId))
      expectStatus(answer, 200)
      expectEqual(answer.bytes.byteLength, 0, 'the length of the body')
      expectStatus(await ctx.owner.get(pathOf(printId)), 404)
      expectStatus(await ctx.owner.get(`${pathOf(printId)}prediction_json`), 404)
      expectStatus(await ctx.owner.delete(pathOf(printId)), 404)
      const prints = expectBody(await ctx.owner.get(`${LIST}?sorting=date_desc&limit=50`), z.array(ContractPrint))
      expectTrue(!prints.some(({ id }) => id === printId), 'the list still holds it')
    },
  },
  {
    id: 'print-changes/bulk-delete',
    group: 'decisions',
    section: 'decision 5',
    title: 'bulk_delete answers how many it deleted, and ignores unknown ids and those of others',
    async run(ctx) {
      const [one, two, kept] = [
        await ctx.endedPrint('PrintDone'),
        await ctx.endedPrint('PrintDone'),
        await ctx.endedPrint('PrintDone'),
      ]
      const ids = [one.printId, two.printId]
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      const foreign = await stranger.post(`${LIST}bulk_delete/`, { print_ids: ids })
      expectEqual(expectBody(foreign, z.object({ deleted: z.int() })).deleted, 0, 'the number for another user')
      expectEqual(await bulkDelete(ctx, [...ids, 999_999_999]), 2, 'the number')
      for (const id of ids) expectStatus(await ctx.owner.get(pathOf(id)), 404)
      expectEqual(await bulkDelete(ctx, ids), 0, 'the number the second time')
      await getPrint(ctx, kept.printId)
    },
  },
  {
    id: 'print-changes/bulk-delete-body',
    group: 'decisions',
    section: 'decision 3',
    title: 'bulk_delete without a list of ids is 400',
    async run({ owner }) {
      for (const body of [{}, { print_ids: 7 }, { print_ids: ['a'] }, { print_ids: [1.5] }]) {
        expectProblem(await owner.post(`${LIST}bulk_delete/`, body), 400, 'invalid_request')
      }
    },
  },
]
