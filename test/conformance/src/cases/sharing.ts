import { z } from 'zod'
import { expectBody, expectEqual, expectProblem, expectStatus, expectTrue } from '../expect.js'
import type { Case } from '../run.js'

const LIST = '/api/v1/sharedresources/'
const OURS = { group: 'decisions', section: 'decision 9' } as const

const Shared = z.array(z.looseObject({ id: z.int(), printer_id: z.int(), share_token: z.string().min(20) }))

export const sharingCases: readonly Case[] = [
  {
    ...OURS,
    id: 'sharing/life',
    title: 'A printer is shared once, with one token, until the sharing is deleted',
    async run(ctx) {
      const { id } = await ctx.idlePrinter()
      const path = `${LIST}?printer_id=${id}`
      expectEqual(expectBody(await ctx.owner.get(path), Shared), [], 'the list before')
      const [shared] = expectBody(await ctx.owner.post(path), Shared)
      expectTrue(shared !== undefined, 'the answer is empty')
      expectEqual(shared.printer_id, id, 'the printer')
      const again = expectBody(await ctx.owner.post(path), Shared)
      expectEqual(again[0]?.share_token, shared.share_token, 'the token the second time')
      expectEqual(expectBody(await ctx.owner.get(path), Shared), again, 'the list')
      const answer = await ctx.owner.delete(`${LIST}${shared.id}/`)
      expectStatus(answer, 200)
      expectEqual(answer.bytes.byteLength, 0, 'the length of the body')
      expectEqual(expectBody(await ctx.owner.get(path), Shared), [], 'the list afterwards')
    },
  },
  {
    ...OURS,
    id: 'sharing/foreign',
    title: "Another user's printer, one that is not there, and none at all are 404",
    async run(ctx) {
      for (const query of [`?printer_id=${ctx.target.other_printer.id}`, '?printer_id=999999999', '']) {
        expectProblem(await ctx.owner.get(`${LIST}${query}`), 404, 'not_found')
        expectProblem(await ctx.owner.post(`${LIST}${query}`), 404, 'not_found')
      }
      const { id } = await ctx.idlePrinter()
      const [shared] = expectBody(await ctx.owner.post(`${LIST}?printer_id=${id}`), Shared)
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      expectProblem(await stranger.delete(`${LIST}${shared?.id}/`), 404, 'not_found')
      await ctx.owner.delete(`${LIST}${shared?.id}/`)
    },
  },
]
