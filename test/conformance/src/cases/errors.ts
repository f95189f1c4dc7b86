import { z } from 'zod'
import type { Case } from '../run.js'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectHeader, expectProblem, expectStatus, expectTrue } from '../expect.js'
import { MISSING_ID, type Operation, operationsOn, perform } from '../operations.js'
import { ContractPrinter } from '../shapes.js'

const STRANGE_IDS = ['0', '-1', '1.5', 'abc', '1e3', '9007199254740993', '9'.repeat(40)]

const KINDS = ['printers', 'prints', 'g_code_files', 'g_code_folders'] as const

const CHATS = '/assistant/api/chats/'

const JSON_TYPE = { 'content-type': 'application/json' }

const missing = (operation: Operation): Case => ({
  id: `errors/missing-${operation.name}`,
  group: 'contract',
  section: operation.section,
  title: `${operation.method} ${operation.path} of what does not exist is 404`,
  async run({ owner }) {
    expectStatus(await perform(owner, operation, MISSING_ID), 404)
  },
})

const foreignPrinter = (operation: Operation): Case => ({
  id: `errors/foreign-${operation.name}`,
  group: 'contract',
  section: operation.section,
  title: `${operation.method} ${operation.path} of another user's printer is 404`,
  async run({ owner, target }) {
    expectStatus(await perform(owner, operation, target.other_printer.id), 404)
  },
})

const ofAnother =
  (what: string, make: (ctx: Context) => Promise<number>) =>
  (operation: Operation): Case => ({
    id: `errors/foreign-${operation.name}`,
    group: 'contract',
    section: operation.section,
    title: `${operation.method} ${operation.path} of another user's ${what} is 404`,
    async run(ctx) {
      const id = await make(ctx)
      expectStatus(await perform(other(ctx), operation, id), 404)
    },
  })

const foreignPrint = ofAnother('print', async (ctx) => (await ctx.startPrint()).printId)
const foreignFile = ofAnother('file', async (ctx) => (await ctx.newFile()).id)
const foreignFolder = ofAnother('folder', async (ctx) => (await ctx.newFolder()).id)
const foreignChat = ofAnother('chat', async (ctx) => (await ctx.newChat()).id)

const other = ({ anonymous, target }: Context) => anonymous.as(target.tokens.other)

export const errorsCases: readonly Case[] = [
  ...[...KINDS, 'chats' as const].flatMap(operationsOn).map(missing),
  ...operationsOn('printers').map(foreignPrinter),
  ...operationsOn('prints').map(foreignPrint),
  ...operationsOn('g_code_files').map(foreignFile),
  ...operationsOn('g_code_folders').map(foreignFolder),
  ...operationsOn('chats').map(foreignChat),
  {
    id: 'errors/foreign-equals-missing',
    group: 'decisions',
    section: 'decision 3',
    title: "The answers for another user's resource and for none are equal, byte by byte",
    async run(ctx) {
      const { printId, printer } = await ctx.startPrint()
      const [file, folder] = [await ctx.newFile(), await ctx.newFolder()]
      const stranger = other(ctx)
      for (const [list, id] of [
        ['/api/v1/printers/', printer.id],
        ['/api/v1/prints/', printId],
        ['/api/v1/g_code_files/', file.id],
        ['/api/v1/g_code_folders/', folder.id],
        [CHATS, (await ctx.newChat()).id],
      ] as const) {
        const foreign = await stranger.get(`${list}${id}/`)
        const none = await stranger.get(`${list}${MISSING_ID}/`)
        expectProblem(none, 404, 'not_found')
        expectEqual(foreign.text, none.text, `the body for a foreign one of ${list}`)
        expectEqual(foreign.headers.get('content-type'), none.headers.get('content-type'), 'the content type')
      }
    },
  },
  {
    id: 'errors/strange-ids',
    group: 'decisions',
    section: 'decision 11',
    title: 'What cannot be an id is 404',
    async run({ owner }) {
      for (const id of STRANGE_IDS) {
        for (const list of [...KINDS.map((kind) => `/api/v1/${kind}/`), CHATS]) {
          expectProblem(await owner.get(`${list}${id}/`), 404, 'not_found')
        }
      }
    },
  },
  {
    id: 'errors/unknown-path',
    group: 'decisions',
    section: 'decision 3',
    title: 'A path that does not exist is 404 in the same form',
    async run({ owner }) {
      expectProblem(await owner.get('/api/v1/no-such-thing/'), 404, 'not_found')
    },
  },
  {
    id: 'errors/malformed-json',
    group: 'decisions',
    section: 'decision 3',
    title: 'A body that is not JSON is 400 malformed_json',
    async run({ owner }) {
      for (const body of ['{', '{"first_name":}', "{'first_name':'A'}", 'NaN']) {
        const answer = await owner.send('PATCH', '/api/v1/users/me/', { headers: JSON_TYPE, body })
        expectProblem(answer, 400, 'malformed_json')
      }
    },
  },
  {
    id: 'errors/not-an-object',
    group: 'decisions',
    section: 'decision 3',
    title: 'JSON that is no object is 400 where an object is asked for',
    async run({ owner }) {
      for (const body of [[], 'text', 7, null]) {
        expectProblem(await owner.patch('/api/v1/users/me/', body), 400, 'invalid_request')
      }
    },
  },
  {
    id: 'errors/issues',
    group: 'decisions',
    section: 'decision 3',
    title: 'Invalid input is answered with every problem and its path',
    async run({ owner }) {
      const answer = await owner.patch('/api/v1/users/me/', { first_name: 7, notification_enabled: 'yes' })
      const { issues = [] } = expectProblem(answer, 400, 'invalid_request')
      expectEqual(issues.map(({ path }) => path).sort(), ['first_name', 'notification_enabled'], 'the paths')
      expectTrue(
        issues.every(({ message }) => message !== ''),
        'an issue has no message',
      )
    },
  },
  {
    id: 'errors/media-type',
    group: 'decisions',
    section: 'decision 3',
    title: 'A body of another media type is 415',
    async run({ owner }) {
      const answer = await owner.send('PATCH', '/api/v1/users/me/', {
        headers: { 'content-type': 'text/plain' },
        body: 'first_name=A',
      })
      expectProblem(answer, 415, 'unsupported_media_type')
    },
  },
  {
    id: 'errors/unknown-query',
    group: 'decisions',
    section: 'decision 3',
    title: 'Unknown query parameters are ignored',
    async run(ctx) {
      await ctx.untilEqual('the lists with and without it', async () => [
        expectBody(await ctx.owner.get('/api/v1/printers/?no_such_parameter=1'), z.array(ContractPrinter)),
        expectBody(await ctx.owner.get('/api/v1/printers/'), z.array(ContractPrinter)),
      ])
    },
  },
  {
    id: 'errors/cors',
    group: 'decisions',
    section: 'decision 3',
    title: 'Pages of any origin may read answers and errors, without cookies',
    async run({ owner, anonymous }) {
      const origin = { origin: 'https://app.example' }
      for (const http of [owner, anonymous]) {
        const answer = await http.with(origin).get('/api/v1/printers/')
        expectEqual(expectHeader(answer, 'access-control-allow-origin'), '*', 'the allowed origin')
        expectEqual(answer.headers.get('access-control-allow-credentials'), null, 'the allowance of credentials')
        const exposed = expectHeader(answer, 'access-control-expose-headers')
          .toLowerCase()
          .split(/\s*,\s*/)
        for (const name of ['link', 'x-total-count', 'retry-after']) {
          expectTrue(exposed.includes(name), `${name} is not exposed`)
        }
      }
    },
  },
  {
    id: 'errors/cors-preflight',
    group: 'decisions',
    section: 'decision 3',
    title: 'A preflight for either token header is answered without a token',
    async run({ anonymous }) {
      for (const name of ['authorization', 'x-api-key']) {
        const answer = await anonymous.send('OPTIONS', '/api/v1/users/me/', {
          headers: {
            origin: 'https://app.example',
            'access-control-request-method': 'PATCH',
            'access-control-request-headers': name,
          },
        })
        expectTrue(answer.status === 200 || answer.status === 204, `the preflight answered ${answer.status}`)
        const allowed = expectHeader(answer, 'access-control-allow-headers')
          .toLowerCase()
          .split(/\s*,\s*/)
        expectTrue(allowed.includes(name), `${name} is not allowed`)
        const methods = expectHeader(answer, 'access-control-allow-methods').split(/\s*,\s*/)
        expectTrue(methods.includes('PATCH'), 'PATCH is not allowed')
      }
    },
  },
]
