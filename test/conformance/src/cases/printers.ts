import { Printer } from '#protocol'
import { z } from 'zod'
import type { Case } from '../run.js'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectHeader, expectProblem, expectStatus, expectTrue } from '../expect.js'
import { ContractPrinter } from '../shapes.js'

const LIST = '/api/v1/printers/'
const CONTRACT = { group: 'contract', section: 'api.md §4.2' } as const
const PATCHING = { group: 'decisions', section: 'decision 7' } as const

const pathOf = ({ id }: { id: number }): string => `${LIST}${id}/`

async function listIds({ owner }: Context, query = ''): Promise<number[]> {
  return expectBody(await owner.get(`${LIST}${query}`), z.array(ContractPrinter)).map(({ id }) => id)
}

/** Archives a printer for the length of `work`. */
async function whileArchived(ctx: Context, work: (printer: { id: number }) => Promise<void>): Promise<void> {
  const printer = await ctx.idlePrinter()
  expectStatus(await ctx.owner.post(`${pathOf(printer)}archive/`), 200)
  try {
    await work(printer)
  } finally {
    await ctx.owner.post(`${pathOf(printer)}unarchive/`)
  }
}

export const printersCases: readonly Case[] = [
  {
    ...CONTRACT,
    id: 'printers/list-own',
    title: "The list holds the user's printers and nobody else's",
    async run(ctx) {
      const ids = await listIds(ctx)
      expectTrue(ids.includes(ctx.target.printer.id), "the list lacks the user's printer")
      expectTrue(!ids.includes(ctx.target.other_printer.id), "the list holds another user's printer")
    },
  },
  {
    ...CONTRACT,
    id: 'printers/get',
    title: 'One printer has the fields of section 2',
    async run({ owner, target }) {
      const printer = expectBody(await owner.get(pathOf(target.printer)), ContractPrinter)
      expectEqual(printer.id, target.printer.id, 'the id')
    },
  },
  {
    ...PATCHING,
    id: 'printers/shape',
    title: 'Printers in the list and alone have every field with its type',
    async run({ owner, target }) {
      expectBody(await owner.get(LIST), z.array(Printer))
      expectBody(await owner.get(pathOf(target.printer)), Printer)
    },
  },
  {
    id: 'printers/total-count',
    group: 'decisions',
    section: 'decision 6',
    title: 'The list says in X-Total-Count how many there are',
    async run({ owner }) {
      const answer = await owner.get(LIST)
      const { length } = expectBody(answer, z.array(ContractPrinter))
      expectEqual(expectHeader(answer, 'x-total-count'), String(length), 'X-Total-Count')
    },
  },
  {
    ...CONTRACT,
    id: 'printers/update',
    title: 'PATCH changes what it names, keeps the rest, and answers the printer',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const before = expectBody(await ctx.owner.get(pathOf(printer)), Printer)
      const name = `Renamed ${ctx.now()}`
      const answered = expectBody(await ctx.owner.patch(pathOf(printer), { name }), Printer)
      expectEqual(answered.name, name, 'the name in the answer')
      const after = expectBody(await ctx.owner.get(pathOf(printer)), Printer)
      expectEqual(after, { ...before, name }, 'the printer')
    },
  },
  {
    ...CONTRACT,
    id: 'printers/update-read-only',
    title: 'PATCH does not change read-only fields',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const before = expectBody(await ctx.owner.get(pathOf(printer)), ContractPrinter)
      const change = {
        id: before.id + 1,
        created_at: '2000-01-01T00:00:00Z',
        not_watching_reason: 'none',
        pic: { img_url: 'http://a.example/b.jpg' },
        status: {},
        settings: { a: 1 },
        current_print: null,
        normalized_p: 0.9,
        auth_token: 'chosen',
      }
      await ctx.owner.patch(pathOf(printer), change)
      expectEqual(expectBody(await ctx.owner.get(pathOf(printer)), ContractPrinter), before, 'the printer')
    },
  },
  {
    ...PATCHING,
    id: 'printers/update-ignores',
    title: 'Read-only and unknown fields are no error beside writable ones',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const name = `Renamed ${ctx.now()}`
      const change = { name, id: 1, auth_token: 'chosen', no_such_field: true }
      expectEqual(expectBody(await ctx.owner.patch(pathOf(printer), change), Printer).name, name, 'the name')
    },
  },
  {
    ...PATCHING,
    id: 'printers/update-wrong-type',
    title: 'A wrong type, enum value or range is 400 naming the field, and changes nothing',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const before = expectBody(await ctx.owner.get(pathOf(printer)), Printer)
      const wrong = { name: '', action_on_failure: 'EXPLODE', watching_enabled: 'yes', retract_on_pause: -1 }
      for (const [field, value] of Object.entries(wrong)) {
        const answer = await ctx.owner.patch(pathOf(printer), { lift_z_on_pause: 7.5, [field]: value })
        const { issues = [] } = expectProblem(answer, 400, 'invalid_request')
        expectEqual(
          issues.map(({ path }) => path),
          [field],
          'the paths of the issues',
        )
      }
      expectEqual(expectBody(await ctx.owner.get(pathOf(printer)), Printer), before, 'the printer')
    },
  },
  {
    ...CONTRACT,
    id: 'printers/archive',
    title: 'An archived printer is only in the list with with_archived=true',
    async run(ctx) {
      await whileArchived(ctx, async ({ id }) => {
        expectTrue(!(await listIds(ctx)).includes(id), 'the list holds it')
        expectTrue(
          !(await listIds(ctx, '?with_archived=false')).includes(id),
          'the list without archived ones holds it',
        )
        expectTrue((await listIds(ctx, '?with_archived=true')).includes(id), 'the list with archived ones lacks it')
      })
    },
  },
  {
    id: 'printers/archive-again',
    group: 'decisions',
    section: 'decision 5',
    title: 'Archiving answers the printer; twice changes nothing; unarchive undoes it',
    async run(ctx) {
      await whileArchived(ctx, async (printer) => {
        const first = expectBody(await ctx.owner.get(pathOf(printer)), Printer)
        expectTrue(first.archived_at !== null, 'archived_at is null')
        const again = expectBody(await ctx.owner.post(`${pathOf(printer)}archive/`), Printer)
        expectEqual(again.archived_at, first.archived_at, 'archived_at after the second time')
        const back = expectBody(await ctx.owner.post(`${pathOf(printer)}unarchive/`), Printer)
        expectEqual(back.archived_at, null, 'archived_at of the unarchived printer')
        expectTrue((await listIds(ctx)).includes(printer.id), 'the list lacks the unarchived printer')
      })
    },
  },
  {
    id: 'printers/with-archived-values',
    group: 'decisions',
    section: 'decision 3',
    title: 'with_archived is true or false; anything else is 400',
    async run({ owner }) {
      expectProblem(await owner.get(`${LIST}?with_archived=perhaps`), 400, 'invalid_request')
    },
  },
  {
    ...CONTRACT,
    id: 'printers/delete',
    title: 'DELETE is 200 with an empty body, and the printer is gone',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const answer = await ctx.owner.delete(pathOf(printer))
      expectStatus(answer, 200)
      expectEqual(answer.bytes.byteLength, 0, 'the length of the body')
      expectStatus(await ctx.owner.get(pathOf(printer)), 404)
      expectStatus(await ctx.owner.delete(pathOf(printer)), 404)
      expectTrue(!(await listIds(ctx, '?with_archived=true')).includes(printer.id), 'the list still holds it')
    },
  },
  {
    id: 'printers/auth-token',
    group: 'decisions',
    section: 'decision 15',
    title: 'auth_token is shown to tokens with "write", else null',
    async run({ owner, anonymous, target }) {
      const writer = expectBody(await owner.get(pathOf(target.printer)), Printer)
      expectEqual(writer.auth_token, target.printer.auth_token, 'auth_token for a writer')
      const reader = expectBody(await anonymous.as(target.tokens.read).get(pathOf(target.printer)), Printer)
      expectEqual(reader.auth_token, null, 'auth_token for a reader')
    },
  },
]
