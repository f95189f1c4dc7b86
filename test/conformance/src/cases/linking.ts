import { z } from 'zod'
import { AgentPrinter } from '#protocol'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectProblem, expectTrue } from '../expect.js'
import type { Case } from '../run.js'

const CODES = '/api/v1/onetimeverificationcodes/'
const VERIFY = '/api/v1/agent/verify/'
const UPSTREAM = { group: 'decisions', section: 'decision 9' } as const
const OWN_AGENT = { group: 'decisions', section: 'decision 28' } as const

const LinkCode = z.looseObject({
  id: z.int(),
  code: z.string().regex(/^\d{6}$/),
  expired_at: z.iso.datetime(),
  verified_at: z.iso.datetime().nullable(),
  printer: z.looseObject({ id: z.int(), auth_token: z.string().nullable() }).nullable(),
})

async function newCode({ owner }: Context, query = ''): Promise<z.infer<typeof LinkCode>> {
  return expectBody(await owner.get(`${CODES}${query}`), LinkCode)
}

/** Whose agent the token is. */
async function printerOf({ anonymous }: Context, authToken: string): Promise<number> {
  return expectBody(await anonymous.as(authToken).get('/api/v1/agent/printer/'), AgentPrinter).printer.id
}

/** An agent that shows a code of its own. */
async function startLink({ anonymous }: Context): Promise<{ code: string; secret: string }> {
  const body = { device_name: 'Conformance', agent_version: '1.0.0' }
  const shape = z.object({ code: z.string().regex(/^\d{6}$/), secret: z.string(), expires_in: z.number() })
  return expectBody(await anonymous.post('/api/v1/agent/link/', body), shape, 201)
}

export const linkingCases: readonly Case[] = [
  {
    ...UPSTREAM,
    id: 'linking/code',
    title: 'The user has one code at a time: six digits, good for two hours',
    async run(ctx) {
      const first = await newCode(ctx)
      const again = await newCode(ctx)
      expectEqual([again.id, again.code], [first.id, first.code], 'the code the second time')
      const minutes = (Date.parse(first.expired_at) - Date.now()) / 60_000
      expectTrue(minutes > 0 && minutes <= 121, `it is good for ${minutes} minutes`)
    },
  },
  {
    ...UPSTREAM,
    id: 'linking/verify',
    title: 'An agent that gives the code gets the auth_token of a new printer; the code is used up then',
    async run(ctx) {
      const { id, code } = await newCode(ctx)
      const verified = expectBody(await ctx.anonymous.post(`${VERIFY}?code=${code}`), LinkCode)
      expectTrue(verified.printer !== null, 'there is no printer')
      const { id: printerId, auth_token } = ctx.made('/api/v1/printers/', verified.printer)
      expectEqual(await printerOf(ctx, auth_token ?? ''), printerId, 'the printer of the token')
      const seen = expectBody(await ctx.owner.get(`${CODES}${id}/`), LinkCode)
      expectTrue(seen.verified_at !== null, 'verified_at is null')
      expectProblem(await ctx.anonymous.post(`${VERIFY}?code=${code}`), 404, 'not_found')
    },
  },
  {
    ...UPSTREAM,
    id: 'linking/again',
    title: "Linking a printer again replaces its auth_token; the agent's old one is 401",
    async run(ctx) {
      const first = await newCode(ctx)
      const { printer } = expectBody(await ctx.anonymous.post(`${VERIFY}?code=${first.code}`), LinkCode)
      expectTrue(printer !== null, 'there is no printer')
      ctx.made('/api/v1/printers/', printer)
      const { code } = await newCode(ctx, `?printer_id=${printer.id}`)
      const again = expectBody(await ctx.anonymous.post(`${VERIFY}?code=${code}`), LinkCode)
      expectEqual(again.printer?.id, printer.id, 'the printer')
      expectTrue(again.printer?.auth_token !== printer.auth_token, 'the token is the old one')
      const old = await ctx.anonymous.as(printer.auth_token ?? '').get('/api/v1/agent/printer/')
      expectEqual(old.status, 401, 'the status with the old token')
    },
  },
  {
    ...UPSTREAM,
    id: 'linking/wrong-code',
    title: 'A code that is none is 404, no code is 400',
    async run({ anonymous }) {
      expectProblem(await anonymous.post(`${VERIFY}?code=no-code`), 404, 'not_found')
      expectProblem(await anonymous.post(VERIFY), 400, 'invalid_request')
    },
  },
  {
    ...UPSTREAM,
    id: 'linking/foreign-code',
    title: "Another user's code cannot be read, nor made for another user's printer",
    async run(ctx) {
      const { id } = await newCode(ctx)
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      expectProblem(await stranger.get(`${CODES}${id}/`), 404, 'not_found')
      expectProblem(await ctx.owner.get(`${CODES}?printer_id=${ctx.target.other_printer.id}`), 404, 'not_found')
    },
  },
  {
    ...UPSTREAM,
    id: 'linking/unlinked',
    title: 'An unlinked agent that asks for a passcode gets one, which it can show',
    async run({ anonymous }) {
      const device = {
        device_id: 'c'.repeat(32),
        hostname: 'conformance',
        host_or_ip: '',
        port: 80,
        os: 'Linux',
        arch: 'x86_64',
        rpi_model: '',
        plugin_version: '1.0.0',
        agent: 'conformance',
        printerprofile: '',
        machine_type: '',
        one_time_passcode: '',
      }
      const answer = expectBody(
        await anonymous.post('/api/v1/agent/unlinked/', device),
        z.looseObject({
          messages: z.array(z.unknown()),
          one_time_passcode: z.string().regex(/^[a-z0-9]{5}$/),
          one_time_passlink: z.string(),
          verification_code: z.string(),
        }),
      )
      expectEqual(answer.verification_code, '', 'the verification code of an unclaimed passcode')
      expectTrue(answer.one_time_passlink.includes(answer.one_time_passcode), 'the link lacks the passcode')
    },
  },
  {
    ...OWN_AGENT,
    id: 'linking/own-agent',
    title: 'An agent shows a code, a user enters it, and the agent gets the auth_token once',
    async run(ctx) {
      const { code, secret } = await startLink(ctx)
      const poll = () => ctx.anonymous.post('/api/v1/agent/link/poll/', { secret })
      expectEqual((await poll()).status, 202, 'the status before the code was entered')
      const name = `Linked ${ctx.now()}`
      const entered = await ctx.owner.post('/api/v1/printers/link/', { code, name })
      const printer = ctx.made(
        '/api/v1/printers/',
        expectBody(entered, z.looseObject({ id: z.int(), name: z.string() })),
      )
      expectEqual(printer.name, name, 'the name')
      const linked = expectBody(await poll(), z.object({ printer_id: z.int(), auth_token: z.string() }))
      expectEqual(linked.printer_id, printer.id, 'the printer')
      expectEqual(await printerOf(ctx, linked.auth_token), printer.id, 'the printer of the token')
      expectEqual((await poll()).status, 410, 'the status the second time')
    },
  },
  {
    ...OWN_AGENT,
    id: 'linking/own-agent-scope',
    title: "Entering a code needs write, and a printer that is the caller's",
    async run(ctx) {
      const { code } = await startLink(ctx)
      const reader = ctx.anonymous.as(ctx.target.tokens.read)
      expectProblem(await reader.post('/api/v1/printers/link/', { code }), 403, 'insufficient_scope')
      const body = { code, printer_id: ctx.target.other_printer.id }
      expectProblem(await ctx.owner.post('/api/v1/printers/link/', body), 404, 'not_found')
    },
  },
]
