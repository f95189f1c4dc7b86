import { z } from 'zod'
import { expectBody, expectEqual, expectProblem, expectStatus, expectTrue } from '../expect.js'
import { MISSING_ID } from '../operations.js'
import type { Case } from '../run.js'

const OURS = { group: 'decisions', section: 'decision 9' } as const
const COMMANDS = { group: 'decisions', section: 'decision 8' } as const

/** What exists beside the specification's own endpoints, each with its path, and with what it answers to a reader. */
const READABLE = [
  { name: 'version', path: '/api/v1/version/' },
  { name: 'feedbacks', path: '/api/v1/printshotfeedbacks/?print_id=1' },
  { name: 'events', path: '/api/v1/printer_events/' },
  { name: 'notification-settings', path: '/api/v1/notification_settings/' },
] as const

const needsRead = ({ name, path }: (typeof READABLE)[number]): Case => ({
  ...OURS,
  id: `further/access-${name}`,
  title: `GET ${path} is 401 without a token, 403 without "read", and 200 with it`,
  async run({ anonymous, target }) {
    expectProblem(await anonymous.get(path), 401, 'unauthorized')
    expectProblem(await anonymous.as(target.tokens.write).get(path), 403, 'insufficient_scope')
    expectStatus(await anonymous.as(target.tokens.read).get(path), 200)
  },
})

export const furtherCases: readonly Case[] = [
  ...READABLE.map(needsRead),
  {
    ...OURS,
    id: 'further/version',
    title: 'The version is told to who is signed in, by X-API-KEY too',
    async run({ anonymous, target }) {
      const answer = await anonymous.with({ 'x-api-key': target.tokens.read }).get('/api/v1/version/')
      const { version } = expectBody(answer, z.looseObject({ version: z.string() }))
      expectTrue(/^\d+\.\d+/.test(version), `the version is "${version}"`)
    },
  },
  {
    ...OURS,
    id: 'further/no-feedback',
    title: 'A print without pictures has no feedback shots',
    async run(ctx) {
      const { printId } = await ctx.endedPrint('PrintDone')
      const answer = await ctx.owner.get(`/api/v1/printshotfeedbacks/?print_id=${printId}`)
      expectEqual(expectBody(answer, z.array(z.unknown())), [], 'the shots')
    },
  },
  {
    ...OURS,
    id: 'further/missing-feedback',
    title: 'A feedback shot that is not there is 404, to read and to answer',
    async run({ owner }) {
      const path = `/api/v1/printshotfeedbacks/${MISSING_ID}/`
      expectProblem(await owner.get(path), 404, 'not_found')
      expectProblem(await owner.patch(path, { answer: 'LOOKS_OK' }), 404, 'not_found')
    },
  },
  {
    ...OURS,
    id: 'further/closed-endpoints',
    title: 'Endpoints that the open protocol does not have are 404',
    async run({ owner, target }) {
      for (const path of ['/partner-api/printers/1/ext/', `/partner-api/printers/${target.printer.id}/ext/`]) {
        expectStatus(await owner.get(path), 404)
      }
    },
  },
  {
    ...COMMANDS,
    id: 'further/rearm',
    title: "rearm answers 200 for one's own printer and 404 for another user's",
    async run(ctx) {
      const { printer } = await ctx.startPrint()
      expectStatus(await ctx.owner.post(`/api/v1/printers/${printer.id}/rearm/`), 200)
      expectProblem(await ctx.owner.post(`/api/v1/printers/${ctx.target.other_printer.id}/rearm/`), 404, 'not_found')
    },
  },
  {
    ...COMMANDS,
    id: 'further/foreign-command',
    title: "A command of another user's printer, of another printer, and one that is none are 404",
    async run(ctx) {
      const { printer } = await ctx.startPrint()
      const answer = await ctx.owner.post(`/api/v1/printers/${printer.id}/pause_print/`)
      const { command_id } = expectBody(answer, z.looseObject({ command_id: z.string() }))
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      const path = (id: number, command: string): string => `/api/v1/printers/${id}/commands/${command}/`
      expectStatus(await ctx.owner.get(path(printer.id, command_id)), 200)
      expectProblem(await stranger.get(path(printer.id, command_id)), 404, 'not_found')
      expectProblem(await ctx.owner.get(path(ctx.target.printer.id, command_id)), 404, 'not_found')
      expectProblem(await ctx.owner.get(path(printer.id, '00000000-0000-4000-8000-000000000000')), 404, 'not_found')
    },
  },
  {
    ...COMMANDS,
    id: 'further/overwrite-values',
    title: 'alert_overwrite of acknowledge_alert is FAILED or NOT_FAILED; anything else is 400',
    async run(ctx) {
      const { printer } = await ctx.startPrint()
      const path = `/api/v1/printers/${printer.id}/acknowledge_alert/?alert_overwrite=`
      for (const value of ['FAILED', 'NOT_FAILED']) expectStatus(await ctx.owner.post(`${path}${value}`), 200)
      expectProblem(await ctx.owner.post(`${path}MAYBE`), 400, 'invalid_request')
    },
  },
  {
    id: 'further/command-for-idle',
    group: 'decisions',
    section: 'decision 8',
    title: 'An action that reached nobody has no command_id',
    async run(ctx) {
      const { id } = await ctx.idlePrinter()
      const answer = await ctx.owner.post(`/api/v1/printers/${id}/pause_print/`)
      const { command_id } = expectBody(answer, z.looseObject({ succeeded: z.literal(false), command_id: z.unknown() }))
      expectEqual(command_id, null, 'command_id')
    },
  },
]
