import { z } from 'zod'
import type { Case } from '../case.js'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectHeader, expectProblem, expectStatus, expectTrue } from '../expect.js'
import { OPERATIONS, type Operation, perform } from '../operations.js'

const withoutSlash = (operation: Operation): Operation => ({ ...operation, path: operation.path.replace(/\/$/, '') })

/** What the operation is tried on: something that is there, since a path that does not exist is 404 too. */
async function subjectOf(ctx: Context, { path }: Operation): Promise<number> {
  if (path.includes('/prints/{id}/')) return (await ctx.startPrint()).printId
  return path.includes('{id}') ? (await ctx.idlePrinter()).id : 0
}

const withoutSlashToo = (operation: Operation): Case => ({
  id: `paths-and-methods/slash-${operation.name}`,
  group: 'contract',
  section: 'api.md §4',
  title: `${operation.method} ${operation.path} answers without the slash at the end too, with no redirect`,
  async run(ctx) {
    const id = await subjectOf(ctx, operation)
    expectStatus(await perform(ctx.owner, withoutSlash(operation), id), 200)
    if (operation.name === 'archive') await ctx.owner.post(`/api/v1/printers/${id}/unarchive/`)
  },
})

const bothForms = (operation: Operation): Case => ({
  id: `paths-and-methods/equal-${operation.name}`,
  group: 'decisions',
  section: 'decision 2',
  title: `GET ${operation.path} with and without the slash at the end gives equal answers`,
  async run(ctx) {
    const id = await subjectOf(ctx, operation)
    const slash = await perform(ctx.owner, operation, id)
    const none = await perform(ctx.owner, withoutSlash(operation), id)
    expectEqual(expectBody(none, z.json()), expectBody(slash, z.json()), 'the body')
    expectEqual(none.headers.get('content-type'), slash.headers.get('content-type'), 'the content type')
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
