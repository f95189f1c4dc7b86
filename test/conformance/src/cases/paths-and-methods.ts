import { z } from 'zod'
import type { Case } from '../run.js'
import type { Context } from '../context.js'
import { expectBody, expectHeader, expectProblem, expectTrue, show } from '../expect.js'
import type { Answer } from '../http.js'
import { OPERATIONS, type Operation, perform } from '../operations.js'
import { ContractChat, ContractFile, ContractFolder } from '../shapes.js'

const withoutSlash = (operation: Operation): Operation => ({
  ...operation,
  path: operation.path.replace(/\/(?=$|\?)/, ''),
})

/** What the operation is tried on: something that is there, since a path that does not exist is 404 too. */
async function subjectOf(ctx: Context, { path, name }: Operation): Promise<number> {
  // A running print need not be deletable.
  if (name === 'delete-print') return (await ctx.endedPrint('PrintDone')).printId
  if (path.includes('/prints/{id}/')) return (await ctx.startPrint()).printId
  if (path.includes('/g_code_files/{id}/')) return (await ctx.newFile()).id
  if (path.includes('/g_code_folders/{id}/')) return (await ctx.newFolder()).id
  if (path.includes('/chats/{id}/')) return (await ctx.newChat()).id
  return path.includes('{id}') ? (await ctx.idlePrinter()).id : 0
}

/** Undoes what the operation did, where something stays. */
async function undo(ctx: Context, { name }: Operation, id: number, { text }: Answer): Promise<void> {
  if (name === 'archive') await ctx.owner.post(`/api/v1/printers/${id}/unarchive/`)
  if (name === 'upload-file') ctx.made('/api/v1/g_code_files/', ContractFile.parse(JSON.parse(text)))
  if (name === 'create-folder') ctx.made('/api/v1/g_code_folders/', ContractFolder.parse(JSON.parse(text)))
  if (name === 'create-chat') ctx.made('/assistant/api/chats/', ContractChat.parse(JSON.parse(text)))
}

const withoutSlashToo = (operation: Operation): Case => ({
  id: `paths-and-methods/slash-${operation.name}`,
  group: 'contract',
  section: 'api.md §4',
  title: `${operation.method} ${operation.path} answers without the slash at the end too, with no redirect`,
  async run(ctx) {
    const id = await subjectOf(ctx, operation)
    const answer = await perform(ctx.owner, withoutSlash(operation), id)
    const { status } = answer
    expectTrue(status >= 200 && status < 300, `${answer.request} answered ${status}: ${show(answer.text)}`)
    await undo(ctx, operation, id, answer)
  },
})

const bothForms = (operation: Operation): Case => ({
  id: `paths-and-methods/equal-${operation.name}`,
  group: 'decisions',
  section: 'decision 2',
  title: `GET ${operation.path} with and without the slash at the end gives equal answers`,
  async run(ctx) {
    const id = await subjectOf(ctx, operation)
    const seen = async (form: Operation): Promise<unknown> => {
      const answer = await perform(ctx.owner, form, id)
      return [expectBody(answer, z.json()), answer.headers.get('content-type')]
    }
    await ctx.untilEqual('the answers of both forms', async () => [
      await seen(operation),
      await seen(withoutSlash(operation)),
    ])
  },
})

/** A method that the path does not know, and those that it does. */
const WRONG_METHODS = [
  { method: 'DELETE', path: '/api/v1/users/me/', allowed: ['GET', 'PATCH'] },
  { method: 'DELETE', path: '/api/v1/printers/', allowed: ['GET'] },
  { method: 'GET', path: '/api/v1/printers/{id}/archive/', allowed: ['POST'] },
  { method: 'POST', path: '/api/v1/printers/{id}/', allowed: ['GET', 'PATCH', 'DELETE'] },
  { method: 'POST', path: '/api/v1/prints/{id}/prediction_json/', allowed: ['GET'] },
  { method: 'GET', path: '/api/v1/agent/pic/', allowed: ['POST'] },
] as const

export const pathsAndMethodsCases: readonly Case[] = [
  ...OPERATIONS.map(withoutSlashToo),
  ...OPERATIONS.filter(({ method }) => method === 'GET').map(bothForms),
  ...WRONG_METHODS.map(
    ({ method, path, allowed }): Case => ({
      id: `paths-and-methods/${method}-${path.split('/').filter(Boolean).slice(2).join('-').replace('{id}', 'id')}`,
      group: 'decisions',
      section: 'decision 3',
      title: `${method} ${path} is 405 and names the methods that there are`,
      async run({ owner, target }) {
        for (const form of [path, path.replace(/\/$/, '')]) {
          const answer = await owner.send(method, form.replace('{id}', String(target.printer.id)))
          expectProblem(answer, 405, 'method_not_allowed')
          const named = expectHeader(answer, 'allow').split(/\s*,\s*/)
          for (const name of allowed) expectTrue(named.includes(name), `Allow lacks ${name}: ${named.join(', ')}`)
          expectTrue(!named.includes(method), `Allow names ${method}`)
        }
      },
    }),
  ),
]
