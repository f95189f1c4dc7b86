import { z } from 'zod'
import type { Case } from '../run.js'
import { expectBody, expectEqual, expectProblem, expectStatus } from '../expect.js'
import { COSTLY_OPERATIONS, OPERATIONS, perform } from '../operations.js'

/** What `read` does not allow is the specification's; that `write` does not imply `read` is decision 4. */
export const scopesCases: readonly Case[] = [
  ...[...OPERATIONS, ...COSTLY_OPERATIONS].map(
    (operation): Case => ({
      id: `scopes/${operation.name}`,
      group: operation.scope === 'write' ? 'contract' : 'decisions',
      section: operation.scope === 'write' ? 'api.md §7' : 'decision 4',
      title: `${operation.method} ${operation.path} without the scope "${operation.scope}" is 403`,
      async run({ anonymous, target }) {
        const token = operation.scope === 'write' ? target.tokens.read : target.tokens.write
        expectStatus(await perform(anonymous.as(token), operation, target.printer.id), 403)
      },
    }),
  ),
  {
    id: 'scopes/write-alone-writes',
    group: 'contract',
    section: 'api.md §5',
    title: 'A token with "write" alone changes what it may change',
    async run({ anonymous, owner, target }) {
      const last_name = `Writer ${Date.now()}`
      expectStatus(await anonymous.as(target.tokens.write).patch('/api/v1/users/me/', { last_name }), 200)
      const me = expectBody(await owner.get('/api/v1/users/me/'), z.looseObject({ last_name: z.string() }))
      expectEqual(me.last_name, last_name, 'last_name')
    },
  },
  {
    id: 'scopes/code',
    group: 'decisions',
    section: 'decision 3',
    title: '403 has the code insufficient_scope',
    async run({ anonymous, target }) {
      const answer = await anonymous.as(target.tokens.write).get('/api/v1/printers/')
      expectProblem(answer, 403, 'insufficient_scope')
    },
  },
  {
    id: 'scopes/head',
    group: 'decisions',
    section: 'decision 4',
    title: 'HEAD needs "read", as GET does, and answers without a body',
    async run({ anonymous, target }) {
      const allowed = await anonymous.as(target.tokens.read).send('HEAD', '/api/v1/printers/')
      expectStatus(allowed, 200)
      expectEqual(allowed.bytes.byteLength, 0, 'the length of the body')
      expectStatus(await anonymous.as(target.tokens.write).send('HEAD', '/api/v1/printers/'), 403)
    },
  },
]
